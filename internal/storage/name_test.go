package storage_test

import (
	"testing"

	"avro2trevni/internal/storage"
)

func TestSplit(t *testing.T) {
	tests := []struct{ name, root, rest string }{
		{"a/b", "", "a/b"},
		{"/a/b", "", "/a/b"},
		{"", "", ""},
		{"hdfs://h:8020/a/b", "hdfs://h:8020", "/a/b"},
		{"hdfs://h:8020", "hdfs://h:8020", "/"},
		{"hdfs:///a", "hdfs://", "/a"},
		{"s3a://bucket//a", "s3a://bucket", "//a"},
		{"://a", "", "://a"},
		{"/a://b", "", "/a://b"},
		{"3s://b/c", "", "3s://b/c"},
	}
	for _, test := range tests {
		if root, rest := storage.Split(test.name); root != test.root || rest != test.rest {
			t.Errorf("%q: got %q, %q; want %q, %q", test.name, root, rest, test.root, test.rest)
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ what, got, want string }{
		{"join", storage.Join("hdfs://h/a", "..", "b", "c"), "hdfs://h/b/c"},
		{"join to a root", storage.Join("hdfs://h", "a"), "hdfs://h/a"},
		{"join goes not above", storage.Join("hdfs://h/a", "../../.."), "hdfs://h/"},
		{"local join", storage.Join("a", "../b"), "b"},
		{"local join of nothing", storage.Join("", "b"), "b"},
		{"clean", storage.Clean("hdfs://h//a/./b/"), "hdfs://h/a/b"},
		{"local clean", storage.Clean("a//b/"), "a/b"},
		{"dir", storage.Dir("hdfs://h/a/b"), "hdfs://h/a"},
		{"dir at the top", storage.Dir("hdfs://h/a"), "hdfs://h/"},
		{"dir of a root", storage.Dir("hdfs://h"), "hdfs://h/"},
		{"local dir", storage.Dir("a"), "."},
		{"base", storage.Base("hdfs://h/a/b.trv"), "b.trv"},
		{"base of a root", storage.Base("hdfs://h"), "/"},
		{"local base", storage.Base("a/b"), "b"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.what, test.got, test.want)
		}
	}
	if got, err := storage.Abs("hdfs://h/a/../b"); got != "hdfs://h/b" || err != nil {
		t.Errorf("abs: got %q, %v", got, err)
	}
	if got, err := storage.Abs("/a/../b"); got != "/b" || err != nil {
		t.Errorf("local abs: got %q, %v", got, err)
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		name, above string
		want        bool
	}{
		{"/a/b", "/a", true},
		{"/a", "/a", true},
		{"/ab", "/a", false},
		{"/a", "/", true},
		{"hdfs://h/a", "/a", false},
		{"hdfs://h/a", "hdfs://h/", true},
		{"hdfs://h/ab/c", "hdfs://h/a", false},
	}
	for _, test := range tests {
		if got := storage.Within(test.name, test.above); got != test.want {
			t.Errorf("%s within %s: got %t", test.name, test.above, got)
		}
	}
}
