# The verbs. Each works on a clean clone with Go alone; tests against Avro's Java side are skipped, with a
# message, where there is no Java or Maven.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOSEC := github.com/securego/gosec/v2/cmd/gosec@v2.24.7
# Rules that are not asked, and why: see CONTRIBUTING.md.
GOSECFLAGS := -quiet -exclude=G115,G301,G302,G304,G306,G703 -exclude-rules='internal/hadooptest/.*:G204;internal/avrotest/.*:G404'
FUZZTIME ?= 30s
N ?= 200
BENCH ?= .
BENCHFLAGS ?=

# The race detector needs a C compiler. Without one the tests run all the same, but not where CI=true.
RACE := $(if $(filter true,$(CI))$(shell command -v $$(go env CC)),-race)

# go test, and then the slowest tests and those that were skipped.
GOTEST := go run ./scripts/gotest

# Packages by how they are tested, each lane beside the others: those that start Hadoop's daemons mostly wait.
# internal/hadooptest compares what processes write: the race detector has nothing to see there.
HADOOP := ./internal/hadooptest
DAEMONS := ./internal/storage ./internal/storage/hdfs
OTHERS = $(shell go list ./... | grep -vE '/internal/(hadooptest|storage|storage/hdfs)$$')

# Packages with tests that the race detector is in the way of, which therefore have a file that is built without it:
# all of their tests are run without it too.
UNRACED = $(sort $(dir $(shell grep -rl --include='*_test.go' --exclude-dir=bench '^//go:build !race' .)))

.PHONY: build test test-hadoop test-daemons test-others test-unraced test-bench test-readers lint fuzz torture torture-hadoop bench microbench clean

build: ## the programs, into bin/
	go build -o bin/ ./cmd/...

test: ## vet, and all tests
	$(if $(RACE),,@echo "no C compiler: testing without the race detector")
	go vet ./...
	$(MAKE) --no-print-directory -j 3 test-hadoop test-daemons test-bench

test-hadoop:
	$(GOTEST) -timeout 30m $(HADOOP)

test-daemons:
	$(GOTEST) $(RACE) -timeout 30m $(DAEMONS)

test-others:
	$(GOTEST) $(RACE) -timeout 30m $(OTHERS)

test-unraced: test-others
	$(if $(RACE),$(GOTEST) -timeout 30m $(UNRACED))

test-bench: test-unraced
	go vet -C bench ./...
	go test -C bench ./...
	go vet -C internal/peers ./...
	go test -C internal/peers ./...
	go vet -C testdata/gen ./...

lint: ## formatting, vet, golangci-lint or else staticcheck, and gosec
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt'ed:" $$unformatted; exit 1; }
	go vet ./...
	if command -v golangci-lint >/dev/null; then golangci-lint run; else go run $(STATICCHECK) ./... && for m in bench internal/peers testdata/gen; do (cd $$m && go run $(STATICCHECK) ./...) || exit 1; done; fi
	go run $(GOSEC) $(GOSECFLAGS) ./...

fuzz: ## every fuzzer for FUZZTIME each, stopping at the first failure
	@for pkg in $$(go list ./...); do \
	  fuzzers=$$(go test -list '^Fuzz' $$pkg) || { echo "$$fuzzers"; exit 1; }; \
	  for fuzzer in $$(echo "$$fuzzers" | grep '^Fuzz'); do \
	    echo "$$pkg $$fuzzer"; \
	    go test -run '^$$' -fuzz "^$$fuzzer\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg || exit 1; \
	  done; \
	done

test-readers: ## what Parquet readers make of our files, and of others', with DataFusion and Spark too
	PARQUET_READERS=all go test -count 1 -timeout 30m -v -run '^TestReaders' ./internal/parquettest

torture: ## kill jobs N times, at random instants and before random calls of their storage, and check every row
	KILLS=$(N) go test -count 1 -timeout 0 -v -run '^TestTorture$$' ./cmd/convert

torture-hadoop: ## all that may fail under a job on YARN, where the tests try only some of it
	KILLS=$(N) go test -count 1 -timeout 0 -v -run '^TestYarn$$' ./internal/hadooptest

.PHONY: bin/bench
bin/bench: ## the harness, a module of its own
	go build -C bench -o ../bin/bench .

bench: bin/bench ## everything measured, against peers: tables, plots, docs/performance.md; BENCHFLAGS=-quick, or -input FILE
	bin/bench $(BENCHFLAGS)

microbench: ## Go's benchmarks, those that BENCH matches; scripts/benchcmp compares two commits
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

clean: ## what was built, fetched and written
	rm -rf bin out out.parquet .cache
