package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder's files are its own and those of its partitions, by their names, and no others.
func TestListPartitions(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a=2/part-00001.trv", "a=2/part-00000.trv", "a=10/part-00000.trv", "a=10/other.trv", "a=10/deep/part-00000.trv",
		"a=10/1.trv", "a=10/_2.trv", "a=3/b=1/part-00000.trv",
		"b/part-00000.trv", "_a=1/part-00000.trv", ".a=1/part-00000.trv", "=1/part-00000.trv", "_SUCCESS",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := listFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range in.files {
		got = append(got, strings.TrimPrefix(f, dir+"/"))
	}
	want := []string{
		"_a=1/part-00000.trv", "a=10/1.trv", "a=10/other.trv", "a=10/part-00000.trv", "a=2/part-00000.trv", "a=2/part-00001.trv", "a=3/b=1/part-00000.trv",
	}
	if !slices.Equal(got, want) || !in.job || !in.finished {
		t.Errorf("%v, job %v, finished %v; want %v", got, in.job, in.finished, want)
	}
}
