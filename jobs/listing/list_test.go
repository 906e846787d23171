package listing

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

func TestListInputs(t *testing.T) {
	base := []string{
		"in/b.avro", "in/a.avro", "in/sub/z.avro", "in/sub/a.txt", "in/a-dir/1.avro",
		"in/_hidden.avro", "in/.hidden.avro", "in/half.avro.tmp", "in/half.avro._COPYING_",
		"in/_temporary/x.avro", "in/.git/x.avro", "in/notes.txt", "other/c.avro", "x[1].avro",
		"empty/",
	}
	all := []string{"in/a-dir/1.avro", "in/a.avro", "in/b.avro", "in/sub/z.avro"}
	tests := []struct {
		name   string
		more   []string // beside base
		inputs []string
		output string
		want   []string
		dups   int
		exit   int
		says   string
	}{
		{name: "folder", inputs: []string{"in"}, want: all},
		{name: "folder with slash", inputs: []string{"in/"}, want: all},
		{name: "files in the order given", inputs: []string{"in/b.avro", "in/a.avro"}, want: []string{"in/b.avro", "in/a.avro"}},
		{name: "any name if given", inputs: []string{"in/notes.txt", "in/_hidden.avro"}, want: []string{"in/notes.txt", "in/_hidden.avro"}},
		{name: "hidden folder if given", inputs: []string{"in/_temporary"}, want: []string{"in/_temporary/x.avro"}},
		{name: "glob", inputs: []string{"in/*.avro"}, want: []string{"in/a.avro", "in/b.avro"}},
		{name: "glob of folders", inputs: []string{"in/*/"}, want: []string{"in/a-dir/1.avro", "in/sub/z.avro"}},
		{name: "glob in the middle", inputs: []string{"*/sub/*.avro"}, want: []string{"in/sub/z.avro"}},
		{name: "glob over files as folders", inputs: []string{"in/*/z.avro"}, want: []string{"in/sub/z.avro"}},
		{name: "glob below files as folders", inputs: []string{"in/*/z*"}, want: []string{"in/sub/z.avro"}},
		{name: "name that looks like a glob", inputs: []string{"x[1].avro"}, want: []string{"x[1].avro"}},
		{name: "empty folder", inputs: []string{"empty"}},
		{name: "twice", inputs: []string{"in/b.avro", "in", "./in/b.avro"}, want: []string{"in/b.avro", "in/a-dir/1.avro", "in/a.avro", "in/sub/z.avro"}, dups: 2},
		{name: "folder twice", inputs: []string{"in", "in/../in"}, want: all},
		{
			name: "link to a file in the tree", more: []string{"in/latest.avro -> b.avro"}, inputs: []string{"in"}, want: all, dups: 1,
		},
		{
			name: "link out of the tree", more: []string{"in/far.avro -> ../other/c.avro", "in/far -> ../other"}, inputs: []string{"in"},
			want: []string{"in/a-dir/1.avro", "in/a.avro", "in/b.avro", "in/far/c.avro", "in/sub/z.avro"}, dups: 1,
		},
		{name: "link in a circle", more: []string{"in/sub/up -> .."}, inputs: []string{"in"}, want: all},
		{name: "given link", more: []string{"l -> in"}, inputs: []string{"l"}, want: []string{"l/a-dir/1.avro", "l/a.avro", "l/b.avro", "l/sub/z.avro"}},
		{name: "link to nowhere", more: []string{"in/c.avro -> gone"}, inputs: []string{"in"}, exit: exit.StatusRefused, says: "in/c.avro: jobs: no such input"},
		{name: "link to nowhere of another kind", more: []string{"in/c.txt -> gone"}, inputs: []string{"in"}, want: all},
		{name: "missing", inputs: []string{"in/a.avro", "gone.avro"}, exit: exit.StatusRefused, says: "gone.avro: jobs: no such input"},
		{name: "glob without match", inputs: []string{"in/*.parquet"}, exit: exit.StatusRefused, says: "in/*.parquet: jobs: no such input"},
		{name: "malformed glob", inputs: []string{"in/[a"}, exit: exit.StatusUsage, says: "malformed pattern"},
		{name: "output is the input", inputs: []string{"in"}, output: "in", exit: exit.StatusRefused, says: "within the output"},
		{name: "input in the output", inputs: []string{"in/sub/z.avro"}, output: "in", exit: exit.StatusRefused, says: "within the output"},
		{name: "input in the output by a link", more: []string{"l -> in"}, inputs: []string{"l/sub"}, output: "./other/../in", exit: exit.StatusRefused, says: "within the output"},
		{name: "output in the input", inputs: []string{"in"}, output: "in/out", want: all},
		{name: "output of a like name", inputs: []string{"in"}, output: "i", want: all},
		{name: "output file", inputs: []string{"in/a.avro"}, output: "in/a.trv", want: []string{"in/a.avro"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree(t, append(base, test.more...)...)
			o := &Selection{Inputs: test.inputs, Outside: "out", FS: storage.Local{}}
			if test.output != "" {
				o.Outside = test.output
			}
			files, duplicates, err := Files(context.Background(), o)
			wantExit(t, err, test.exit, test.says)
			if err != nil {
				return
			}
			var got []string
			for _, f := range files {
				got = append(got, f.Path)
				if info, err := os.Stat(f.Path); err != nil || info.Size() != f.Size || !info.ModTime().Equal(f.ModTime) {
					t.Errorf("%s: listed with %d bytes, %v", f.Path, f.Size, f.ModTime)
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			if duplicates != test.dups {
				t.Errorf("%d duplicates, want %d", duplicates, test.dups)
			}
		})
	}
}

func TestListOtherThanFiles(t *testing.T) {
	tree(t, "in/a.avro")
	if err := syscall.Mkfifo("in/pipe.avro", 0o666); err != nil {
		t.Skip(err)
	}
	_, _, err := Files(context.Background(), &Selection{Inputs: []string{"in"}, Outside: "out", FS: storage.Local{}})
	wantExit(t, err, exit.StatusRefused, "in/pipe.avro: is neither a file nor a folder")
}

func TestListStops(t *testing.T) {
	tree(t, "in/a.avro")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&exit.Interrupt{Signal: syscall.SIGTERM})
	_, _, err := Files(ctx, &Selection{Inputs: []string{"in"}, Outside: "out", FS: storage.Local{}})
	wantExit(t, err, exit.StatusTERM, "terminated")
}
