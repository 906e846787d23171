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
	r := &testRun{w: &got, said: map[test]*strings.Builder{}}
	r.read(strings.NewReader(events))
	r.summary()
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
