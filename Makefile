# The verbs. Each works on a clean clone with Go alone; tests against Avro's Java side are skipped, with a
# message, where there is no Java or Maven.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
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

# Lanes of tests, one beside the other: those that start Hadoop's daemons mostly wait. internal/hadooptest and
# internal/parquettest compare what processes write: the race detector has nothing to see there.
HADOOP := ./internal/hadooptest
DAEMONS := ./internal/storage ./internal/storage/hdfs
PROCESSES := ./internal/parquettest

# RACED are the other packages that start goroutines, in their code or in their tests; PLAIN are those that do not.
DIRS = $(filter-out $(HADOOP) $(DAEMONS) $(PROCESSES),$(shell go list -f '{{.Dir}}' ./... | sed "s|^$(CURDIR)|.|"))
GOES := '\bgo func|^[[:space:]]*go [a-zA-Z.]+\(|errgroup|[.]Go\(|t[.]Parallel\(|http[.]'
RACED = $(if $(RACE),$(shell for dir in $(DIRS); do grep -qE $(GOES) $$dir/*.go && echo $$dir; done))
PLAIN = $(PROCESSES) $(filter-out $(RACED),$(DIRS))

.PHONY: build test test-hadoop test-daemons test-raced test-plain test-modules check dist test-readers lint fuzz torture torture-hadoop bench microbench clean distclean

build: ## the programs, into bin/
	go build -o bin/ ./cmd/...

test: ## vet, and all tests
	$(if $(RACE),,@echo "no C compiler: testing without the race detector")
	$(MAKE) --no-print-directory -j 3 test-hadoop test-daemons test-modules

test-hadoop:
	$(GOTEST) -timeout=30m $(HADOOP)

test-daemons:
	$(GOTEST) $(RACE) -timeout=30m $(DAEMONS)

test-raced:
	$(if $(RACED),$(GOTEST) $(RACE) -timeout=30m $(RACED))

test-plain: test-raced
	$(GOTEST) -timeout=30m $(PLAIN)

test-modules: test-plain
	go vet ./...
	for m in bench internal/peers testdata/gen; do go vet -C $$m ./... || exit 1; done
	go test -C bench ./...
	go test -C internal/peers ./...

check: ## what is checked besides the tests: dependencies, other systems, lint, vulnerabilities, fuzzers for a moment
	GOVULNCHECK=$(GOVULNCHECK) .ci/check

lint: ## formatting, vet, golangci-lint or else staticcheck, and gosec
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt'ed:" $$unformatted; exit 1; }
	go vet ./...
	if command -v golangci-lint >/dev/null; then golangci-lint run; else go run $(STATICCHECK) ./... && for m in bench internal/peers testdata/gen; do (cd $$m && go run $(STATICCHECK) ./...) || exit 1; done; fi
	go run $(GOSEC) $(GOSECFLAGS) ./...

fuzz: ## every fuzzer for FUZZTIME each, stopping at the first failure
	scripts/fuzz $(FUZZTIME)

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

dist: ## archives for each system, with manual pages and completions, and their checksums, into dist/
	scripts/dist

clean: ## what was built and written
	rm -rf bin dist out out.parquet

distclean: clean ## and what was fetched
	rm -rf .cache
