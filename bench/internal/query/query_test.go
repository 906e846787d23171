package query

import (
	"strings"
	"testing"

	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
)

const (
	oursSaid   = `{"name":"ours","wall":1,"cpu":2,"answer":"(1)"}` + "\n"
	duckdbSaid = `{"name":"duckdb","wall":2,"cpu":2,"answer":"(1)"}` + "\n"
)

func TestTake(t *testing.T) {
	for name, test := range map[string]struct{ said, want string }{
		"all":             {oursSaid + duckdbSaid + oursSaid + duckdbSaid, ""},
		"another answer":  {oursSaid + strings.Replace(duckdbSaid, "(1)", "(2)", 1), "gives (2), and others (1)"},
		"an answer short": {oursSaid, "no answer of duckdb"},
		"not asked":       {strings.Replace(oursSaid, "ours", "x", 1), "not asked"},
		"no answer":       {"error\n", "invalid character"},
	} {
		r := report.CaseResult{Contenders: []report.Outcome{{Name: run.OursParquet}, {Name: "duckdb"}}}
		err := take(&r, []byte(test.said))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
		if err == nil && (len(r.Contenders[1].Samples) != 2 || r.Contenders[1].Median.Wall != 2) {
			t.Errorf("%s: %+v", name, r.Contenders)
		}
	}
}

// TestFigures checks what is asked of our file, and that one that is missing is in no figure.
func TestFigures(t *testing.T) {
	contenders := []report.Outcome{
		{Name: run.OursParquet, Samples: []report.Sample{{Wall: 3}}}, {Name: "duckdb", Samples: []report.Sample{{Wall: 2}}}, {Name: "spark", Missing: "gone"},
	}
	for engine, verdict := range map[string]string{"duckdb": "missed", "polars": ""} {
		all := figures(question{engine: engine}, contenders)
		if len(all) != 1 {
			t.Fatalf("%s: figures %+v", engine, all)
		}
		if all[0].Fill(contenders); all[0].Median != 1.5 || all[0].Verdict != verdict {
			t.Errorf("%s: %+v, want 1.5, %q", engine, all[0], verdict)
		}
	}
}
