package publish

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

func TestIfExists(t *testing.T) {
	tests := []struct {
		name   string
		output string
		mode   string
		there  string
		exit   int
		says   string
	}{
		{"success", "/out", "", "/out/_SUCCESS", exit.StatusRefused, "/out holds _SUCCESS"},
		{"part", "/out", "fail", "/out/part-123456.trv", exit.StatusRefused, "/out holds part-123456.trv"},
		{"other file", "/out", "fail", "/out/part-1.avro", exit.StatusDone, ""},
		{"file in the way of the folder", "/out", "replace", "/out", exit.StatusRefused, "is a file, not a folder"},
		{"folder in the way of a part", "/out", "replace", "/out/part-00000.trv/x", exit.StatusRefused, "is a folder"},
		{"file", "/out.trv", "fail", "/out.trv", exit.StatusRefused, "/out.trv: jobs: the output exists"},
		{"folder in the way of the file", "/out.trv", "replace", "/out.trv/x", exit.StatusRefused, "is a folder"},
		{"file in the way of its folder", "/a/out.trv", "fail", "/a", exit.StatusRefused, "is a file, not a folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := storagetest.NewMem()
			m.Write(test.there, "x")
			before := m.Files()
			err := fakeJob(m, Options{Ext: ".trv", Name: test.output, Replace: test.mode == "replace"})
			wantExit(t, err, test.exit, test.says)
			if err == nil {
				return
			}
			if d := cmp.Diff(before, m.Files()); d != "" {
				t.Errorf("a refusal changed something (-before +after):\n%s", d)
			}
		})
	}
}

func TestOneRunAtATime(t *testing.T) {
	for _, output := range []string{"/data/out", "/data/out.trv"} {
		m := storagetest.NewMem()
		m.Write("/data/in.avro", "in")
		o := Options{Ext: ".trv", Name: output, FS: m, Single: strings.HasSuffix(output, ".trv"), Log: slog.New(slog.DiscardHandler)}
		first, err := Open(context.Background(), o)
		must(t, err)
		must(t, first.Begin(context.Background()))
		_, err = Open(context.Background(), o)
		wantExit(t, err, exit.StatusRetry, output+": another run is writing this output")
		if !errors.Is(err, storage.ErrLocked) {
			t.Errorf("%v is not ErrLocked", err)
		}
		other := o
		other.Name += "2.trv"
		must(t, fakeJob(m, other)) // which must not clean what is not its own
		if _, err := m.Stat(first.TempDir()); err != nil {
			t.Error(err)
		}
		must(t, first.Close())
		must(t, first.Close())
		must(t, fakeJob(m, o))
	}
}

func TestFilesInWork(t *testing.T) {
	m := storagetest.NewMem()
	out, err := Open(t.Context(), Options{Ext: ".trv", Name: "/out", FS: m, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	must(t, out.Begin(context.Background()))
	second, err := out.Create(1, 0)
	must(t, err)
	if _, err := out.Outputs(); err == nil {
		t.Error("a file is in work, and outputs says nothing")
	}
	must(t, second.Finish(5))
	must(t, second.Abort())
	if second.Finish(5) == nil {
		t.Error("finished twice")
	}
	if _, err := out.Outputs(); err == nil || !strings.Contains(err.Error(), "output file 0 is missing") {
		t.Errorf("file 0 is missing: %v", err)
	}
	if err := out.Commit(t.Context(), new(report.Report).Final); err == nil {
		t.Error("committed without file 0")
	}
	must(t, out.Discard())
	if outs, err := out.Outputs(); err != nil || len(outs) != 0 {
		t.Errorf("after discard: %v, %v", outs, err)
	}
	if _, err := out.Create(0, 0); err != nil {
		t.Error(err)
	}
	must(t, out.Close())
	if len(m.Files()) != 0 {
		t.Errorf("left: %v", m.Files())
	}
}

// A journal is a list of files to remove, so it is not believed blindly.
func TestHostileJournal(t *testing.T) {
	for _, text := range []string{
		"", "{", `{"run":"run-0123456789abcdef","old":["../../etc/passwd"]}`,
		`{"run":"../x","publish":["part-00000.trv"]}`,
		`{"run":"run-0123456789abcdef","publish":["notes.txt"]}`,
		`{"run":"run-0123456789abcdef","publish":["part-00000.trv"],"old":["_SUCCESS"]}`, // staged files are gone
	} {
		m := storagetest.NewMem()
		m.Write("/out/_temporary/journal", text)
		m.Write("/out/notes.txt", "notes")
		m.Write("/etc/passwd", "root")
		before := files(m)
		err := fakeJob(m, Options{Ext: ".trv", Name: "/out", Replace: true})
		if exit.Code(err) != exit.StatusFailed || !strings.Contains(err.Error(), "journal") {
			t.Errorf("%s: %v", text, err)
		}
		if d := cmp.Diff(before, files(m)); d != "" {
			t.Errorf("%s: changed (-before +after):\n%s", text, d)
		}
	}
}

// A journal that nobody could read again is not written.
func TestJournalOfOthersNames(t *testing.T) {
	m := storagetest.NewMem()
	m.Write("/data/in.avro", "in")
	out, err := Open(t.Context(), Options{Ext: ".trv", Name: "/data/out", FS: m, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	must(t, out.Begin(context.Background()))
	f, err := out.Create(0, 0)
	must(t, err)
	must(t, f.Finish(1))
	out.kept = []report.Output{{Path: "notes.txt"}}
	if err := out.Commit(t.Context(), new(report.Report).Final); err == nil || !strings.Contains(err.Error(), `"notes.txt" is not an output's name`) {
		t.Errorf("committed: %v", err)
	}
	must(t, out.Close())
	if d := cmp.Diff(map[string]string{"/data/in.avro": "in"}, files(m)); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
}
