package main

import (
	"strings"
	"testing"
)

// What is printed: packages, tests that failed or never ended, and the lists. Not: what
// tests say that pass.
func TestRun(t *testing.T) {
	const events = `{"Action":"build-output","ImportPath":"c","Output":"c.go:1:1: no\n"}
{"Action":"start","Package":"a"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"good\n"}
{"Action":"pass","Package":"a","Test":"TestGood","Elapsed":2.5}
{"Action":"output","Package":"a","Test":"TestSkip","Output":"why\n"}
{"Action":"skip","Package":"a","Test":"TestSkip","Elapsed":0}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok a\n"}
{"Action":"pass","Package":"a","Elapsed":3}
{"Action":"output","Package":"b","Test":"TestBad/sub","Output":"bad\n"}
{"Action":"fail","Package":"b","Test":"TestBad/sub","Elapsed":1}
{"Action":"fail","Package":"b","Test":"TestBad","Elapsed":7}
{"Action":"output","Package":"b","Test":"TestHung","Output":"panic: timed out\n"}
{"Action":"output","Package":"b","Output":"FAIL b\n"}
{"Action":"fail","Package":"b","Elapsed":9}
not an event
`
	const want = `c.go:1:1: no
ok a
bad
panic: timed out
FAIL b
not an event
The slowest:
     7.0s  b TestBad
     2.5s  a TestGood
     0.0s  a TestSkip
 skipped  a TestSkip
`
	var got strings.Builder
	r := newRun(&got)
	r.read(strings.NewReader(events))
	r.summary()
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// Tests that say so are run without the race detector too, also if a part of one says it.
func TestUnraced(t *testing.T) {
	const events = `{"Action":"output","Package":"b","Test":"TestB/sub","Output":"x_test.go:1: every 20th; make test runs all without the race detector too\n"}
{"Action":"output","Package":"a","Test":"TestA","Output":"x_test.go:1: allocates; make test runs this without the race detector too\n"}
{"Action":"skip","Package":"a","Test":"TestA"}
{"Action":"output","Package":"a","Test":"TestB","Output":"the race detector\n"}
`
	var got strings.Builder
	r := newRun(&got)
	r.read(strings.NewReader(events))
	r.summary()
	if strings.Contains(got.String(), "skipped") {
		t.Errorf("a test that is run later is listed: %s", got.String())
	}
	args := strings.Join(r.unraced([]string{"-race", "-timeout=9m", "a", "b", "c"}), " ")
	if want := "-timeout=9m -run=^(TestA|TestB)$ a b"; args != want {
		t.Errorf("%s, want %s", args, want)
	}
	if args := r.unraced([]string{"-timeout=9m", "a"}); args != nil {
		t.Errorf("without -race: %q", args)
	}
	if args := newRun(&got).unraced([]string{"-race", "a"}); args != nil {
		t.Errorf("nothing to run: %q", args)
	}
}
