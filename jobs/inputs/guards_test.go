package inputs

import (
	"log/slog"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/listing"
)

// A guard lets files through that are old enough and complete, and leaves the others to a later run
// or says why the run is to be tried again.
func TestGuardReady(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	files := []listing.File{
		{Path: "old", ModTime: now.Add(-time.Hour), Done: true},
		{Path: "new", ModTime: now.Add(-time.Minute), Done: true},
		{Path: "open", ModTime: now.Add(-time.Hour)},
		{Path: "ahead", ModTime: now.Add(2 * time.Hour), Done: true},
	}
	for _, c := range []struct {
		guard Guard
		ready string
		says  string // without Leave
	}{
		{Guard{}, "old new open ahead ", ""},
		{Guard{MinAge: time.Minute}, "old new open ", "ahead: its time of modification is 2h0m0s in the future, --min-age is 1m0s: try again later"},
		{Guard{MinAge: time.Hour}, "old open ", "new: was written 1m0s ago, --min-age is 1h0m0s: try again later"},
		{Guard{Complete: true}, "old new ahead ", "open: neither its folder nor one above it that was given has a _SUCCESS: try again later"},
	} {
		status := exit.StatusRetry
		if c.says == "" {
			status = exit.StatusDone
		}
		_, _, err := c.guard.Ready(files, now)
		wantExit(t, err, status, c.says)
		c.guard.Leave, c.guard.Log = true, slog.New(slog.DiscardHandler)
		ready, left, err := c.guard.Ready(files, now)
		must(t, err)
		got := ""
		for _, f := range ready {
			got += f.Path + " "
		}
		if got != c.ready || left != int64(len(files)-len(ready)) {
			t.Errorf("%+v: %sand %d left, want %s", c.guard, got, left, c.ready)
		}
	}
	must(t, (&Guard{}).CheckCount(1e9))
	must(t, (&Guard{Most: 2}).CheckCount(2))
	wantExit(t, (&Guard{Most: 2}).CheckCount(3), exit.StatusRefused, "3 inputs are more than --max-inputs 2")
}
