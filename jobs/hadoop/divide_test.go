package hadoop

import (
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/pack"
)

// Partitions and tasks hold all splits, in order, none of them empty.
func TestHadoopDivides(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		p := &inputs.Plan{}
		for i := range 1 + r.IntN(60) {
			n := int64(r.IntN(1 << r.IntN(30)))
			p.Splits = append(p.Splits, inputs.Split{{Input: i, End: n}})
			p.Bytes += n
		}
		n := 1 + r.IntN(len(p.Splits))
		parts := divideSplits(p, n)
		if len(parts) != n {
			t.Fatalf("%d partitions of %d", len(parts), n)
		}
		for name, spans := range map[string][]pack.Range{"partitions": parts, "tasks": mapTasks(p, parts)} {
			at := 0
			for _, s := range spans {
				if s.First != at || s.End <= s.First {
					t.Fatalf("%s %v", name, spans)
				}
				at = s.End
			}
			if at != len(p.Splits) {
				t.Fatalf("%s %v of %d splits", name, spans, len(p.Splits))
			}
		}
	}
}

// Of several tries the last says why the job failed, but for one that is final.
func TestHadoopTellsTheLastFailure(t *testing.T) {
	for _, c := range []struct {
		name string
		tell string
		all  []failureNote
	}{
		{"tries", "third", []failureNote{
			{Task: "attempt_1_0001_r_000000_0", Error: "first"},
			{Task: "attempt_1_0001_m_000003_2", Error: "third"},
			{Task: "attempt_1_0001_m_000003_1", Error: "second"},
		}},
		{"final", "bad data", []failureNote{
			{Task: "attempt_1_0001_r_000000_3", Error: "gone"},
			{Task: "attempt_1_0001_m_000007_0", Error: "bad data", Final: true},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			jobtest.Must(t, os.Mkdir(filepath.Join(dir, failedName), 0o700))
			for _, n := range c.all {
				data, err := json.Marshal(n)
				jobtest.Must(t, err)
				jobtest.Must(t, storage.WriteFile(t.Context(), storage.Local{}, storage.Join(dir, failedName, n.Task+".json"), data))
			}
			if note := worstFailureIn(storage.Local{}, filepath.Join(dir, failedName), slog.New(slog.DiscardHandler)); note == nil || note.Error != c.tell {
				t.Errorf("told %+v, want %q", note, c.tell)
			}
		})
	}
}
