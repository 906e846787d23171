package storage

import (
	"errors"
	"io/fs"
	"testing"
)

// objects is object storage that is never called.
type objects struct{ Objects }

func TestAsObjects(t *testing.T) {
	away := errors.New("away")
	r := &Router{Local: Local{}, Connect: func(root string) (FS, error) {
		switch root {
		case "s3://bucket":
			return objects{}, nil
		case "hdfs://host":
			return Local{}, nil
		}
		return nil, away
	}}
	for _, test := range []struct {
		fs   FS
		name string
		want bool
		err  error
	}{
		{r, "s3://bucket/a/b", true, nil},
		{r, "hdfs://host/a", false, nil},
		{r, "/a", false, nil},
		{r, "s3://other/a", false, away},
		{objects{}, "/a", true, nil},
		{Local{}, "/a", false, nil},
	} {
		o, err := AsObjects(test.fs, test.name)
		if (o != nil) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%T, %s: %v, %v", test.fs, test.name, o, err)
		}
	}
}

// described is a file as some storage describes it.
type described struct {
	fs.FileInfo
	sys any
}

func (d described) Sys() any { return d.sys }

func TestVersionOf(t *testing.T) {
	for _, test := range []struct {
		sys  any
		want Version
	}{{Version(`"abc"`), `"abc"`}, {nil, None}, {"abc", None}} {
		if got := VersionOf(described{sys: test.sys}); got != test.want {
			t.Errorf("%v: %q, want %q", test.sys, got, test.want)
		}
	}
}
