// Package report holds what was measured: the file of results, as JSON, and the tables and
// charts that are made of it. It measures nothing but the machine.
//
//	results.json  runs   [ machine, versions, revision, command, rounds ] ...
//	              cases  [ name, run, contenders, figures ] ...     conversions, scans
//	              sweeps [ name, run, points ] ...                  one program, a setting
//
// A Journal adds a case or a sweep to the file as soon as it is measured.
package report
