package jobs

import (
	"os"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// guarded makes three files of ten rows: one old, one new, and one of this age in a
// folder that is complete.
func guarded(t *testing.T) {
	t.Helper()
	tree(t, "in/done/sub/", "in/done/_SUCCESS", "lists/")
	for i, name := range []string{"in/done/sub/c.avro", "in/new.avro", "in/old.avro"} {
		file, _ := blocksOf(t, "snappy", int64(10*i), 10)
		must(t, os.WriteFile(name, file, 0o666))
	}
	for _, name := range []string{"in/done/sub/c.avro", "in/old.avro"} {
		before := time.Now().Add(-2 * time.Hour)
		must(t, os.Chtimes(name, before, before))
	}
}

// Each guard, alone and when appending: what is said, the exit status, and how many
// rows there are then.
func TestGuards(t *testing.T) {
	tests := []struct {
		name   string
		o      Options
		exit   int
		says   string
		rows   int64
		append int64 // rows when appending; -1: the same refusal
	}{
		{"none", Options{}, exit.StatusDone, "", 30, 30},
		{"age", Options{MinAge: time.Hour}, exit.StatusRetry, "s ago, --min-age is 1h0m0s: try again later", 0, 20},
		{"young", Options{MinAge: time.Nanosecond}, exit.StatusDone, "", 30, 30},
		{"success", Options{RequireSuccess: true}, exit.StatusRetry, "in/new.avro: neither its folder nor one above it that was given has a _SUCCESS: try again later", 0, 10},
		{"success of a folder above", Options{RequireSuccess: true, Inputs: []string{"in/done"}}, exit.StatusDone, "", 10, 10},
		{"success above what was given", Options{RequireSuccess: true, Inputs: []string{"in/done/sub"}}, exit.StatusRetry, "c.avro: neither", 0, 0},
		{"success of a file", Options{RequireSuccess: true, Inputs: []string{"in/done/sub/c.avro"}}, exit.StatusRetry, "c.avro: neither", 0, 0},
		{"success of no file", Options{RequireSuccess: true, Inputs: []string{"in/*.avro"}}, exit.StatusRetry, "new.avro: neither", 0, 0},
		{"inputs", Options{MaxInputs: 3}, exit.StatusDone, "", 30, 30},
		{"too many inputs", Options{MaxInputs: 2}, exit.StatusRefused, "3 inputs are more than --max-inputs 2", 0, -1},
		{"records", Options{ExpectRecords: 30}, exit.StatusDone, "", 30, 30},
		{"too many records", Options{ExpectRecords: 29}, exit.StatusRefused, "the inputs have 30 records, --expect-records is 29: nothing was published", 0, -1},
		{"records of nothing", Options{ExpectRecords: 1, Inputs: []string{"lists"}}, exit.StatusRefused, "the inputs have 0 records", 0, 0},
		{"list", Options{Files: []string{"in/old.avro", "in/done"}}, exit.StatusDone, "", 20, 20},
		{"empty list", Options{Files: []string{}}, exit.StatusDone, "", 0, 0},
		{"list with a glob", Options{Files: []string{"in/*.avro"}}, exit.StatusRefused, "in/*.avro: jobs: no such input", 0, -1},
	}
	for _, test := range tests {
		for _, mode := range []string{IfExistsFail, IfExistsAppend} {
			t.Run(test.name+" "+mode, func(t *testing.T) {
				guarded(t)
				o := test.o
				o.Output, o.IfExists, o.Memory = "out", mode, 64<<20
				if o.Inputs == nil && o.Files == nil {
					o.Inputs = []string{"in"}
				}
				r, err := Convert(t.Context(), &o)
				want := test.rows
				if mode == IfExistsAppend && test.append >= 0 {
					must(t, err)
					want = test.append
				} else {
					wantExit(t, err, test.exit, test.says)
				}
				if _, statErr := os.Stat("out/_SUCCESS"); (statErr == nil) != (want > 0) {
					t.Errorf("published: %v", statErr)
				}
				if err == nil && r.Counters.Rows != want {
					t.Errorf("%d rows, want %d", r.Counters.Rows, want)
				}
			})
		}
	}
}

// What a guard left of a run is taken by the next.
func TestGuardsLeaveToTheNextRun(t *testing.T) {
	guarded(t)
	o := Options{Inputs: []string{"in"}, Output: "out", MinAge: time.Hour}
	r, err := addRun(t, storage.Local{}, o)
	must(t, err)
	if a := r.Run.Appended; a.Left != 1 || a.Inputs != 2 {
		t.Errorf("%+v", a)
	}
	hour := time.Now().Add(-time.Hour)
	must(t, os.Chtimes("in/new.avro", hour, hour))
	r, err = addRun(t, storage.Local{}, o)
	must(t, err)
	if a := r.Run.Appended; a.Left != 0 || a.Inputs != 1 || a.Unchanged != 2 || r.Counters.Rows != 30 {
		t.Errorf("%+v", a)
	}
}
