package history

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/format/trevni"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/report"
)

// What earlier runs converted is left out; what changed, or has another name now, is refused,
// left out, or converted.
func TestComparison(t *testing.T) {
	then := time.Unix(1_000_000, 0).UTC()
	head := func(digest uint64) *ocf.Header { return &ocf.Header{Digest: digest} }
	e := written(t, &report.Report{
		Inputs: []report.Input{
			{Path: "same", Size: 1, Modified: then, Header: "0000000000000001"},
			{Path: "changed", Size: 2, Modified: then, Header: "0000000000000002"},
			{Path: "moved", Size: 3, Modified: then, Header: "0000000000000003"},
		},
		Skipped: []report.Skipped{{Path: "lost", File: true, Size: 4, Modified: then}},
	})
	files := []listing.File{
		{Path: "same", Real: "same", Size: 1, ModTime: then},
		{Path: "changed", Real: "changed", Size: 20, ModTime: then},
		{Path: "lost", Real: "lost", Size: 4, ModTime: then},
		{Path: "to", Real: "to", Size: 3, ModTime: then},
		{Path: "new", Real: "new", Size: 5, ModTime: then},
	}
	digests := map[string]uint64{"same": 1, "changed": 2, "to": 3, "new": 5}
	for _, c := range []struct {
		how, keep string
		says      string
		counts    report.Append
	}{
		{Fail, "", "changed: changed since it was converted: 2 bytes, then 20 (and 1 input more); --changed ignore leaves", report.Append{Unchanged: 2}},
		{Convert, "changed to new ", "", report.Append{Unchanged: 2, Again: 2}},
		{Ignore, "new ", "", report.Append{Unchanged: 2, Ignored: 2}},
	} {
		var counts report.Append
		compared := e.Compare(c.how, slog.New(slog.DiscardHandler), &counts)
		plan := inputs.New(inputs.Options{})
		plan.AddFiles(compared.Fresh(files))
		for i := range plan.Inputs {
			plan.Inputs[i].Header = head(digests[plan.Inputs[i].Path])
		}
		err := compared.Decide(plan)
		status, keep := exit.StatusRefused, ""
		if c.says == "" {
			status = exit.StatusDone
			for _, in := range plan.Inputs {
				keep += in.Path + " "
			}
		}
		jobtest.WantExit(t, err, status, c.says)
		if keep != c.keep || counts != c.counts {
			t.Errorf("%s: %skept, %+v, want %s%+v", c.how, keep, counts, c.keep, c.counts)
		}
	}
	var none *Earlier
	compared := none.Compare(Fail, nil, nil)
	if got := compared.Fresh(files); len(got) != len(files) {
		t.Errorf("%d of %d files are new where nothing was", len(got), len(files))
	}
	jobtest.Must(t, compared.Decide(inputs.New(inputs.Options{})))
}

// written returns what is read of an output that has a report, and no part files.
func written(t *testing.T, r *report.Report) *Earlier {
	t.Helper()
	r.Version, r.Options.Codec, r.Options.PartBy = "1", "null", "a"
	text, err := json.Marshal(r)
	jobtest.Must(t, err)
	m := storagetest.NewMem()
	m.Write("/out/_SUCCESS", string(text))
	e, err := Read(m, func(string) format.Format { return trevni.Format{} }, "/out", 64*units.MiB)
	jobtest.Must(t, err)
	return e
}

// Options that shape the files must be those that the output was made with, but for some.
func TestSameOptions(t *testing.T) {
	e := written(t, &report.Report{Options: report.Options{BlockSize: 1024, SplitSize: 1, Index: []string{"a"}}})
	now := report.Options{Codec: "null", PartBy: "a", BlockSize: 1024, SplitSize: 2, OnCorrupt: "fail", Index: []string{"a"}}
	jobtest.Must(t, e.SameOptions(now))
	now.Index = nil
	jobtest.WantExit(t, e.SameOptions(now), exit.StatusRefused, `/out: was made with --index ["a"], not none: give the same, or another output`)
	jobtest.Must(t, e.SameOptions(now, "index"))
	now.BlockSize = 2048
	jobtest.WantExit(t, e.SameOptions(now, "index"), exit.StatusRefused, "/out: was made with --block-size 1024, not 2048")
}
