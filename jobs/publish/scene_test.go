package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
)

// newFiles is what the job of these tests writes.
var newFiles = []string{"new zero", "new one", "new two"}

// fakeJob does what a job does to its output, and nothing else.
func fakeJob(f storage.FS, o Options) error { return writeJob(f, o, newFiles) }

// writeJob is fakeJob for a job of other files.
func writeJob(f storage.FS, o Options, files []string) error {
	o.Log = slog.New(slog.DiscardHandler)
	return commitJob(context.Background(), f, o, files)
}

// commitJob is writeJob with a context, which is for the publishing, and a log.
func commitJob(ctx context.Context, f storage.FS, o Options, files []string) (err error) {
	o.FS, o.Single = f, strings.HasSuffix(o.Name, ".trv")
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	out, err := Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() {
		closeErr := out.Close()
		if out.ended && closeErr != nil {
			closeErr = fmt.Errorf("%w: %w", errLeft, closeErr)
		}
		err = errors.Join(err, closeErr)
	}()
	if err := out.Begin(context.Background()); err != nil {
		return err
	}
	if out.TempDir() != "" {
		if err := storage.WriteFile(context.Background(), f, out.TempDir()+"/spill", []byte("spilled")); err != nil {
			return err
		}
	}
	if strings.HasSuffix(o.Name, ".trv") {
		files = files[:1]
	}
	for i, data := range files {
		out.Place(i, folderOfFile(o, i))
		w, err := out.Create(i, 0)
		if err != nil {
			return err
		}
		for half := range strings.SplitSeq(data, " ") {
			if _, err := w.Write([]byte(half)); err != nil {
				return err // which leaves the file to close
			}
		}
		if err := w.Finish(int64(i)); err != nil {
			return err
		}
	}
	outs, err := out.Outputs()
	if err != nil {
		return err
	}
	r := &report.Report{}
	r.AddOutputs(outs)
	return out.Commit(ctx, r.Final)
}

// folderOfFile returns the folder that file i of these tests goes to, if there are partitions:
// files of two are written in turn.
func folderOfFile(o Options, i int) string {
	if o.Prefix == "" {
		return ""
	}
	return fmt.Sprintf("%s%d", o.Prefix, i%2)
}

// nameOfFile returns the name of that file.
func nameOfFile(o Options, i int) string {
	if o.Prefix == "" {
		return PartName(i, ".trv")
	}
	return folderOfFile(o, i) + "/" + PartName(i/2, ".trv")
}

// errLeft is that of a job that published, and could not clear away its temporary files.
var errLeft = errors.New("files are left")

// scene is an output before a job, and the job's options.
type scene struct {
	name string
	o    Options
	old  map[string]string // files there before
	kept map[string]string // those of them that the job must leave alone
}

var scenes = []scene{
	{name: "new folder", o: Options{Ext: ".trv", Name: "/data/out"}},
	{name: "new folders", o: Options{Ext: ".trv", Name: "/data/a/b/out"}},
	{name: "new file in new folders", o: Options{Ext: ".trv", Name: "/data/new/a/out.trv"}},
	{
		name: "folder with other files", o: Options{Ext: ".trv", Name: "/data/out"},
		old:  map[string]string{"/data/out/notes.txt": "notes", "/data/out/_temporary/0/x": "hadoop's"},
		kept: map[string]string{"/data/out/notes.txt": "notes", "/data/out/_temporary/0/x": "hadoop's"},
	},
	{
		name: "replace", o: Options{Ext: ".trv", Name: "/data/out", Replace: true},
		old: map[string]string{
			"/data/out/part-00000.trv": "old zero", "/data/out/part-00003.trv": "old three",
			"/data/out/_SUCCESS": oldSuccess("part-00000.trv", "old zero", "part-00003.trv", "old three"),
			"/data/out/notes":    "notes",
		},
		kept: map[string]string{"/data/out/notes": "notes"},
	},
	{
		name: "replace without success", o: Options{Ext: ".trv", Name: "/data/out", Replace: true},
		old: map[string]string{"/data/out/part-00001.trv": "old one"},
	},
	{name: "new partitions", o: Options{Ext: ".trv", Name: "/data/out", Prefix: "_k="}},
	{
		name: "replace partitions", o: Options{Ext: ".trv", Name: "/data/out", Prefix: "_k=", Replace: true},
		old: map[string]string{
			"/data/out/_k=0/part-00001.trv": "old zero", "/data/out/_k=9/part-00000.trv": "old nine", "/data/out/_k=0/notes": "notes",
			"/data/out/_SUCCESS": oldSuccess("_k=0/part-00001.trv", "old zero", "_k=9/part-00000.trv", "old nine"),
		},
		kept: map[string]string{"/data/out/_k=0/notes": "notes"},
	},
	{name: "new file", o: Options{Ext: ".trv", Name: "/data/out.trv"}, old: map[string]string{"/data/x": "x"}, kept: map[string]string{"/data/x": "x"}},
	{
		name: "replace file", o: Options{Ext: ".trv", Name: "/data/out.trv", Replace: true},
		old:  map[string]string{"/data/out.trv": "old", "/data/.out.trv.x.tmp": "not ours"},
		kept: map[string]string{"/data/.out.trv.x.tmp": "not ours"},
	},
}

// oldSuccess is the _SUCCESS of files given by name and content.
func oldSuccess(files ...string) string {
	r := &report.Report{}
	for i := 0; i < len(files); i += 2 {
		out := report.Output{Path: files[i], Rows: int64(i / 2), Bytes: int64(len(files[i+1])), XXH64: digest(files[i+1])}
		r.AddOutputs([]report.Output{out})
	}
	data, err := r.JSON()
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (s *scene) set() *storagetest.Mem {
	m := storagetest.NewMem()
	m.Write("/data/in.avro", "in")
	for name, data := range s.old {
		m.Write(name, data)
	}
	return m
}

// done returns the files as they are to be when the job is done.
func (s *scene) done() map[string]string { return s.doneWith(newFiles) }

// doneWith is done for a job of other files.
func (s *scene) doneWith(files []string) map[string]string {
	want := map[string]string{"/data/in.avro": "in"}
	maps.Copy(want, s.kept)
	if strings.HasSuffix(s.o.Name, ".trv") {
		want[s.o.Name] = strings.ReplaceAll(files[0], " ", "")
		return want
	}
	var outs []string
	for i, data := range files {
		data = strings.ReplaceAll(data, " ", "")
		want[s.o.Name+"/"+nameOfFile(s.o, i)] = data
		outs = append(outs, nameOfFile(s.o, i), data)
	}
	want[s.o.Name+"/_SUCCESS"] = oldSuccess(outs...)
	return want
}

// whole returns why the output is neither what it was nor a complete job nor, after
// a crash, one that a reader can tell is unfinished.
func (s *scene) whole(m *storagetest.Mem, crashed bool) error {
	all := files(m)
	for name, data := range s.kept {
		if all[name] != data {
			return fmt.Errorf("%s holds %q", name, all[name])
		}
	}
	if strings.HasSuffix(s.o.Name, ".trv") {
		switch all[s.o.Name] {
		case s.old[s.o.Name], s.done()[s.o.Name], s.doneWith(otherFiles)[s.o.Name]:
			return nil
		}
		return fmt.Errorf("the file holds %q", all[s.o.Name])
	}
	parts := map[string]string{}
	for name, data := range all {
		if base, ok := strings.CutPrefix(name, s.o.Name+"/"); ok && base != SuccessName && IsPublishedName(base) {
			parts[base] = data
		}
	}
	text, ok := all[s.o.Name+"/_SUCCESS"]
	if ok {
		return sameAsReport(text, parts)
	}
	if old := s.old[s.o.Name+"/_SUCCESS"]; !crashed && (old != "" || len(parts) > 0 && s.old == nil) {
		return fmt.Errorf("no _SUCCESS after an error, with files %v", slices.Sorted(maps.Keys(parts)))
	}
	return nil
}
