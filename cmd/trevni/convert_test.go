package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"avro2trevni/internal/ocf"
	"avro2trevni/jobs"
	"avro2trevni/trevni/block"
)

// convert stands in for the command of that name in scripts, with some of its flags:
// convert [flags] INPUT... OUTPUT
func convert() {
	var o jobs.Options
	sortBy := ""
	flag.StringVar(&o.PartitionBy, "partition-by", "", "")
	flag.StringVar(&sortBy, "sort-by", "", "")
	flag.StringVar(&o.IfExists, "if-exists", "", "")
	flag.Parse()
	if sortBy != "" {
		o.SortBy = []string{sortBy}
	}
	last := flag.NArg() - 1
	o.Inputs, o.Output = flag.Args()[:last], flag.Arg(last)
	if _, err := jobs.Convert(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// avroFile writes an Avro file of two fields, a string and the number of the row: avro FILE
// FIELD VALUE...
func avroFile(ts *testscript.TestScript, _ bool, args []string) {
	field, err := json.Marshal(args[1])
	ts.Check(err)
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: fmt.Sprintf(
		`{"type":"record","name":"R","fields":[{"name":%s,"type":"string"},{"name":"n","type":"long"}]}`, field)})
	ts.Check(err)
	for i, v := range args[2:] {
		row := append(block.AppendLong(nil, int64(len(v))), v...)
		ts.Check(w.Append(block.AppendLong(row, int64(i)), 1))
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file.Bytes(), 0o666))
}

// edit puts one text in the place of another, once: edit FILE OLD NEW
func edit(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s: no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(name, bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1), 0o666))
}
