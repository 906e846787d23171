package run

import (
	"runtime"
	"slices"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// times are the figures about speed: ours against totrevni, and against the limit.
func times(atLeast float64) []report.Figure {
	return []report.Figure{
		{Name: "times as fast as totrevni", Measure: "wall", Of: "totrevni", To: "ours", AtLeast: atLeast},
		{Name: "times less processor time", Measure: "cpu", Of: "totrevni", To: "ours"},
		{Name: "times the limit's time", Measure: "wall", Of: "ours", To: "limit"},
	}
}

// ofTheLimit asks of times that the limit's be neared.
func ofTheLimit(times []report.Figure, atMost float64) []report.Figure {
	times[2].AtMost = atMost
	return times
}

// tableLimit is how near the limit a conversion of tables other than lineitem comes.
const tableLimit = 1.5

// againstAll are the figures about all other converters to Trevni.
func againstAll() []report.Figure {
	return []report.Figure{
		{Name: "times as fast as mapreduce", Measure: "wall", Of: "mapreduce", To: "ours"},
		{Name: "peak memory, to that of mapreduce", Measure: "memory", Of: "ours", To: "mapreduce"},
		{Name: "output, to that of mapreduce", Measure: "output", Of: "ours", To: "mapreduce"},
	}
}

// size is the figure about our output against totrevni's.
func size(atMost float64) report.Figure {
	return report.Figure{Name: "output, to totrevni's", Measure: "output", Of: "ours", To: "totrevni", AtMost: atMost}
}

// converters are all programs that convert to Trevni, ours first and the limit beside it,
// so that little lies between the two.
func (p Programs) converters(codec string) []contender {
	return []contender{
		p.convert("ours", "--codec", codec), p.limit(), p.totrevni(codec), p.mapReduce(codec),
	}
}

func (p Programs) convertCases() []benchCase {
	lineitem := func(codec, quick string, figures ...report.Figure) benchCase {
		return benchCase{
			name: "lineitem-" + codec, what: "TPC-H lineitem, " + codec + " to " + codec, input: "lineitem-" + codec + ".avro",
			quick: quick, figures: append(figures, againstAll()...), contenders: p.converters(codec),
		}
	}
	made := func(name, what string, figures ...report.Figure) benchCase {
		return benchCase{
			name: name, what: what, input: name + ".avro", figures: figures,
			contenders: []contender{p.convert("ours", "--codec", "snappy"), p.limit(), p.totrevni("snappy")},
		}
	}
	cases := []benchCase{
		lineitem("snappy", data.QuickInput, append(ofTheLimit(times(5), 1.25), size(0))...),
		p.severalFiles(),
		lineitem("deflate", "", append(times(5), size(1.10))...),
		p.uncompressed(),
		made("wide-snappy", "300 columns of ten types", append(ofTheLimit(times(3), tableLimit), size(0))...),
		made("nested-snappy", "events: arrays of records with arrays, unions of records", append(ofTheLimit(times(3), tableLimit), size(0))...),
		made("nullable-snappy", "20 nullable columns, 99% present", append(ofTheLimit(times(0), tableLimit), size(1))...),
		made("sparse-snappy", "12 nullable columns, 0% to 99% present", append(ofTheLimit(times(0), tableLimit), size(1))...),
		made("events-snappy", "a log: hashes, nanoseconds, URLs, JSON, each field nullable", append(ofTheLimit(times(0), tableLimit), size(1))...),
	}
	cases[6].columns, cases[7].columns = true, true
	return cases
}

// severalFiles is a job that overlaps mapping and writing, as one of a single file cannot.
func (p Programs) severalFiles() benchCase {
	return benchCase{
		name: "lineitem-files", what: "TPC-H lineitem, snappy to snappy, files of 32 MiB", input: data.LineitemInput,
		contenders: []contender{p.convert("ours", "--codec", "snappy", "--file-size", "32MiB"), p.limit()},
		figures:    ofTheLimit(times(0), 1.15)[2:],
	}
}

// uncompressed has no limit: nothing is encoded.
func (p Programs) uncompressed() benchCase {
	c := benchCase{
		name: "lineitem-null", what: "TPC-H lineitem, snappy to no compression", input: "lineitem-snappy.avro",
		figures: append([]report.Figure{times(0)[0], times(0)[1], size(0)}, againstAll()...), contenders: p.converters("null"),
	}
	c.contenders = slices.DeleteFunc(c.contenders, func(o contender) bool { return o.name == "limit" })
	return c
}

// inputCase converts a file of the user's. What an Avro file holds may have no like
// in one of the others' formats; their answers then differ, and they are missing.
func (p Programs) inputCase(path string) []benchCase {
	return []benchCase{{
		name: "input", what: "the file given, to snappy", input: path, outside: true,
		figures: append(append(times(0), size(0)), againstAll()...), contenders: p.converters("snappy"),
	}}
}

// optionCases are of our program alone: what an option costs. Their answers are
// compared as those of programs are.
func (p Programs) optionCases() []benchCase {
	vary := func(name, what, flag string, values ...string) benchCase {
		c := benchCase{name: name, what: what, input: "lineitem-snappy.avro", quick: data.QuickInput}
		for _, v := range values {
			c.contenders = append(c.contenders, p.convert(v, flag, v))
		}
		return c
	}
	workers := workerCounts(runtime.NumCPU())
	cases := []benchCase{
		vary("codec", "--codec", "--codec", "null", "snappy", "snappy:better", "deflate:1", "deflate", "deflate:9"),
		vary("memory", "--memory", "--memory", "64MiB", "128MiB", "256MiB", "512MiB", report.Unbounded),
		vary("workers", "--workers", "--workers", workers...),
		vary("file-size", "--file-size", "--file-size", "4MiB", "16MiB", "64MiB", "256MiB", "1GiB"),
	}
	cases[0].brief = []string{"null", "snappy", "deflate"}
	cases[1].brief = []string{"64MiB", report.Unbounded}
	cases[3].brief = []string{"4MiB", "1GiB"}
	cases[1].figures = []report.Figure{{Name: "time with 64MiB, to unbounded", Measure: "wall", Of: "64MiB", To: report.Unbounded}}
	if most := workers[len(workers)-1]; most != "1" {
		cases[2].figures = []report.Figure{{Name: "times as fast with " + most + " workers as with 1", Measure: "wall", Of: "1", To: most}}
	}
	cases[3].figures = []report.Figure{{Name: "time with 4MiB, to 1GiB", Measure: "wall", Of: "4MiB", To: "1GiB"}}
	return cases
}
