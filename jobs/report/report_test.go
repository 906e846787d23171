package report

import (
	"encoding/json"
	"testing"
	"time"
)

// A report's text is what the encoder makes of the whole, however many inputs there are
// and whatever they are called.
func TestReportText(t *testing.T) {
	names := []string{"a.avro", "with \"quotes\"\n  \"inputs\": []", "é\x01\\"}
	for n := range 4 {
		r := &Report{Version: "1", Error: "\n  \"inputs\": []", Outputs: []Output{{Path: "\n  \"inputs\": []"}}, Options: Options{Meta: map[string]string{"inputs": "[]"}}}
		for _, name := range names[:max(0, n-1)] {
			r.Inputs = append(r.Inputs, Input{Path: name, File: name, Size: 1, Modified: time.Unix(1, 2).UTC(), Header: "0123456789abcdef", Rows: 3})
		}
		if n == 1 {
			r.Inputs = []Input{}
		}
		got, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want)+"\n" {
			t.Errorf("%d: %s\nwant %s", n, got, want)
		}
	}
}
