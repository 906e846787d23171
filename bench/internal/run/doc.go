// Package run measures whole processes: conversions by contenders that run in turn, A B C
// A B C, each timed from its start until its output is synced. The answers of all are
// compared before anything is timed.
//
//	cases.go, converters.go, parquet.go, peers.go   who converts what, and what is asked
//	harness.go    one case: warm up, prove, rounds
//	process.go    one process: wait4, temporary space, sync
//	measure.go    a verb: flags, journal, the cases named
//	limit.go      the yardstick: blocks decoded and encoded again, nothing else
package run
