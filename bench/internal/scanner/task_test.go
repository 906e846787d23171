package scanner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTaskSurvivesItsArguments(t *testing.T) {
	for _, want := range []Task{
		{Columns: []string{"a"}, Threads: 1},
		{Columns: []string{"items[]#price", "b c"}, Threads: 4, Rows: RowRange{0, 1000, 7}, Schema: "s.avsc"},
	} {
		got, err := parseScanTask(want.Args())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got, cmp.AllowUnexported(Task{}, RowRange{})); diff != "" {
			t.Errorf("task (-want +got):\n%s", diff)
		}
	}
}

func TestRowRangeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"1:2": "want FROM:TO:STEP", "a:2:1": "no number", "-1:2:1": "no number", "0:5:0": "no rows", "5:2:1": "no rows",
	} {
		var r RowRange
		if err := r.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestAnswersAreTheSame(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b Answer
		want string // of the error; "" for none
	}{
		{"equal", Answer{"3:6", "2:sha256-ab"}, Answer{"3:6", "2:sha256-ab"}, ""},
		{"order of adding", Answer{"3:0.30000000000000004"}, Answer{"3:3.0E-1"}, ""},
		{"not numbers", Answer{"3:NaN"}, Answer{"3:nan"}, ""},
		{"another sum", Answer{"3:6", "3:6.00001"}, Answer{"3:6", "3:6"}, "column 1 is 3:6.00001, and 3:6"},
		{"another count", Answer{"3:6"}, Answer{"4:6"}, "column 0"},
		{"another digest", Answer{"3:sha256-ab"}, Answer{"3:sha256-ac"}, "column 0"},
		{"fewer", Answer{"3:6"}, Answer{}, "1 columns, and 0"},
	} {
		err := test.a.Same(test.b)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestServe(t *testing.T) {
	var out strings.Builder
	err := serve(t.Context(), strings.NewReader("good\nbad\n"), &out, func(_ context.Context, path string) (Answer, error) {
		if path == "bad" {
			return nil, errors.New("no\nsuch file")
		}
		return Answer{"1:2", "3:4.5"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	seconds, a, err := ParseReply(lines[0])
	if diff := cmp.Diff(Answer{"1:2", "3:4.5"}, a); diff != "" || seconds < 0 || err != nil {
		t.Errorf("reply %q: %v s, error %v, answer (-want +got):\n%s", lines[0], seconds, err, diff)
	}
	if _, _, err := ParseReply(lines[1]); err == nil || err.Error() != "no such file" {
		t.Errorf("reply %q: error %v", lines[1], err)
	}
	for _, line := range []string{"", "ok\n", "ok\tsoon\t1:2\n", "what?\n"} {
		if _, _, err := ParseReply(line); err == nil || !strings.Contains(err.Error(), "it answered") {
			t.Errorf("reply %q: error %v", line, err)
		}
	}
}
