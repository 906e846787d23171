package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// tenth is the first tenth of lineitem: scale 0.1, and the input of quick runs.
const tenth = "lineitem-tenth.avro"

// tenth cuts lineitem behind the block in which its tenth part ends.
func (p paths) tenth(context.Context) (err error) {
	in, err := os.Open(p.data("lineitem-snappy.avro"))
	if err != nil {
		return err
	}
	defer in.Close()
	_, spans, err := avroBlocks(in)
	if err != nil {
		return err
	}
	product := p.data(tenth)
	out, err := os.Create(product + ".tmp")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(in, 0, endOfPart(spans, 10)))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("bench: %s: %w", product, err)
	}
	return os.Rename(product+".tmp", product)
}

// endOfPart is where the block ends in which the first of n equal parts of the rows
// ends.
func endOfPart(spans []span, n int64) int64 {
	var all, rows int64
	for _, s := range spans {
		all += s.rows
	}
	for _, s := range spans {
		if rows += s.rows; rows*n >= all {
			return s.end()
		}
	}
	return 0
}

// workerCounts are 1, 2, 4 and so on up to n, and n.
func workerCounts(n int) (counts []string) {
	for i := 1; i < n; i *= 2 {
		counts = append(counts, fmt.Sprint(i))
	}
	return append(counts, fmt.Sprint(n))
}
