package main

import (
	"errors"

	"avro2trevni/cmd/trevni/colfile"
)

// verifySummary is what verify --json prints.
type verifySummary struct {
	Good     bool           `json:"good"`
	Files    []fileVerified `json:"files"`    // those that could be opened
	Problems []string       `json:"problems"` // in the order in which they were found
	Unread   []string       `json:"unread"`   // why inputs could not be read
	Same     *int64         `json:"same_rows_as_avro,omitempty"`
}

// fileVerified is one file.
type fileVerified struct {
	Path      string `json:"path"`
	Good      bool   `json:"good"`
	Rows      uint64 `json:"rows"`
	Columns   int    `json:"columns"`
	Blocks    int    `json:"blocks"`
	Bytes     int64  `json:"bytes"`
	Unchecked int    `json:"unchecked"` // blocks without a checksum
	Schema    bool   `json:"schema"`    // whether it has one
}

// add notes a file that was verified.
func (v *verifier) add(f *file, found *colfile.Findings, problems []error) {
	h := f.Header()
	v.found.Files = append(v.found.Files, fileVerified{
		Path: f.name, Good: len(problems) == 0, Rows: h.Rows, Columns: len(f.Columns()), Blocks: found.Blocks, Bytes: f.size,
		Unchecked: found.Unchecked, Schema: h.Schema != "",
	})
}

// writeJSON prints what was found, if JSON is wanted.
func (v *verifier) writeJSON() error {
	if !v.o.json {
		return nil
	}
	s := &v.found
	s.Good = v.problems == 0 && v.unread == 0
	if s.Files == nil {
		s.Files = []fileVerified{}
	}
	if s.Problems == nil {
		s.Problems = []string{}
	}
	if s.Unread == nil {
		s.Unread = []string{}
	}
	err := writeJSON(v.c.stdout, s)
	if errors.Is(err, errGone) { // the exit status says what was found
		return nil
	}
	return err
}
