package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links in an output lead nobody out of it: an output may be a link, what is in it may not
// be followed.
func TestLinksInOutputs(t *testing.T) {
	fixture := scratch(t)
	if err := errors.Join(os.WriteFile("in.avro", fixture, 0o666), os.Mkdir("elsewhere", 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		link string // within the output, which is replaced
		to   string
		exit int
		says string
	}{
		{"", "elsewhere/out", 0, ""}, // the output itself
		{"_temporary", "elsewhere", 3, "is a link"},
		{"_temporary", "elsewhere/gone", 3, "is a link"},
		{"part-00000.trv", "elsewhere/precious", 0, ""},
		{"_SUCCESS", "elsewhere/precious", 0, ""},
		{".avro2trevni.lock", "elsewhere/precious", 4, ".avro2trevni.lock"},
		{".avro2trevni.lock", "elsewhere/gone", 4, ".avro2trevni.lock"},
		{"_temporary/journal", "elsewhere/precious", 4, "out/_temporary/journal: \"a\" is not an output's name"}, // read, and as good as any
	} {
		t.Run(fmt.Sprint(tt.link, " to ", tt.to), func(t *testing.T) {
			if err := errors.Join(os.RemoveAll("out"), os.RemoveAll("elsewhere"), os.MkdirAll("elsewhere/run-0123456789abcdef", 0o777),
				os.WriteFile("elsewhere/precious", []byte(`{"run":"run-0123456789abcdef","publish":["a"],"old":["in.avro"]}`), 0o666)); err != nil {
				t.Fatal(err)
			}
			target, err := filepath.Abs(tt.to)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join("out", tt.link)
			if tt.link == "" {
				err = os.Mkdir(target, 0o777)
			} else {
				err = os.MkdirAll(filepath.Dir(name), 0o777)
			}
			if err := errors.Join(err, os.Symlink(target, name)); err != nil {
				t.Fatal(err)
			}
			before := digests(t, "elsewhere")
			code, said := exitOf(t, "--if-exists", "replace", "in.avro", "out")
			if code != tt.exit || !strings.Contains(said, tt.says) {
				t.Errorf("exit status %d, want %d: %s", code, tt.exit, said)
			}
			if tt.link == "" { // its files stand where it leads
				if _, err := os.Stat("elsewhere/out/_SUCCESS"); err != nil {
					t.Error(err)
				}
				return
			}
			after := digests(t, "elsewhere")
			if len(after) != len(before) || after["elsewhere/precious"] != before["elsewhere/precious"] {
				t.Errorf("elsewhere holds %v", after)
			}
			if _, err := os.Stat("elsewhere/run-0123456789abcdef"); err != nil {
				t.Error(err)
			}
		})
	}
}
