package listing

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

func TestFileFilter(t *testing.T) {
	base := []string{
		"in/a.avro", "in/b.avro", "in/part-m-0", "in/2026/a.avro", "in/2026/deep/c.avro", "in/bad/x.avro", "in/bad.avro",
		"in/_SUCCESS", "l.avro -> in/b.avro", "in/link.avro -> ../l.avro",
	}
	tests := []struct {
		name             string
		inputs           []string
		include, exclude []string
		want             []string
	}{
		{"all", nil, nil, nil, []string{"in/2026/a.avro", "in/2026/deep/c.avro", "in/a.avro", "in/b.avro", "in/bad/x.avro", "in/bad.avro"}},
		{"by name at any level", nil, []string{"a.*"}, nil, []string{"in/2026/a.avro", "in/a.avro"}},
		{"other extensions", nil, []string{"part-*"}, nil, []string{"in/part-m-0"}},
		{"by path", nil, []string{"2026/*"}, nil, []string{"in/2026/a.avro"}},
		{"by path of more", []string{"./in/"}, []string{"2026/*/*", "b*"}, nil, []string{"in/2026/deep/c.avro", "in/b.avro", "in/bad.avro"}},
		{"folders go with all in them", nil, nil, []string{"bad", "deep"}, []string{"in/2026/a.avro", "in/a.avro", "in/b.avro", "in/bad.avro"}},
		{"excluded by path", nil, nil, []string{"2026/a.avro", "bad/*"}, []string{"in/2026/deep/c.avro", "in/a.avro", "in/b.avro", "in/bad.avro"}},
		{"both", nil, []string{"a.avro", "c.avro"}, []string{"2026/a*"}, []string{"in/2026/deep/c.avro", "in/a.avro"}},
		{"globs", []string{"in/*"}, []string{"*a*"}, []string{"bad*", "deep"}, []string{"in/2026/a.avro", "in/a.avro", "in/b.avro", "in/part-m-0"}},
		{"given by name", []string{"in/part-m-0", "in/bad/x.avro"}, []string{"nope"}, []string{"bad"}, []string{"in/part-m-0", "in/bad/x.avro"}},
		{"nothing left", nil, []string{"nope"}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree(t, base...)
			s := &Selection{FS: storage.Local{}, Inputs: test.inputs, Filter: Filter{Include: test.include, Exclude: test.exclude}, Outside: "out", Log: slog.New(slog.DiscardHandler)}
			if s.Inputs == nil {
				s.Inputs = []string{"in"}
			}
			files, _, err := Files(t.Context(), s)
			must(t, err)
			var got []string
			for _, f := range files {
				got = append(got, f.Path)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadNames(t *testing.T) {
	if d := cmp.Diff([]string{"a", " b c ", "*"}, ReadNames("a\n\n b c \n*")); d != "" {
		t.Error(d)
	}
	if got := ReadNames(""); got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
	tree(t)
	_, err := ReadList(storage.Local{}, "gone")
	wantExit(t, err, exit.StatusUsage, "files from gone")
}
