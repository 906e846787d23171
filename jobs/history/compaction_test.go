package history

import (
	"fmt"
	"strings"
	"testing"

	"avro2trevni/jobs/report"
)

func TestSmallNeighbours(t *testing.T) {
	tests := []struct {
		sizes string // of a limit of 10
		want  string
	}{
		{"", ""}, {"1", ""}, {"9", ""}, {"1 1", "0-1"}, {"9 1", ""}, {"1 9 1", ""}, {"1 2 9 4 4 4", "0-1 3-5"},
		{"5 4", ""}, {"9 9 1 1 1 5 1 4 9", "2-4 6-7"},
	}
	for _, test := range tests {
		var outs []report.Output
		for i, text := range strings.Fields(test.sizes) {
			outs = append(outs, report.Output{Path: fmt.Sprint(i), Bytes: int64(text[0] - '0')})
		}
		var got []string
		for _, g := range smallNeighbours(outs, 10) {
			got = append(got, g[0].Path+"-"+g[len(g)-1].Path)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %s", test.sizes, got, test.want)
		}
	}
}
