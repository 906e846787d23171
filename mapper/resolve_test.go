package mapper_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
)

// judge resolves rows with another implementation, and shreds what it makes of them by
// the reader's schema.
func judge(t *testing.T, c *testCase, w, r string) ([]tuple.Tuple, error) {
	t.Helper()
	blocks, err := rewritten(t, c, w, r)
	if err != nil {
		return nil, err
	}
	p := compileText(t, r)
	tuples, _ := run(t, p, mapper.Options{}, blocks, 0)
	return tuples, nil
}

// rewritten returns the blocks of rows as another implementation resolves them.
func rewritten(t *testing.T, c *testCase, w, r string) ([]testBlock, error) {
	t.Helper()
	blocks := slices.Clone(c.blocks)
	for i, b := range blocks {
		var err error
		if blocks[i].data, err = avrotest.Rewritten(w, r, int(b.rows), b.data); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// tryRun is run for rows that may fail.
func tryRun(t *testing.T, p *program, o mapper.Options, blocks []testBlock, window int) ([]tuple.Tuple, mapper.Result, error) {
	sink := &keepSink{t: t}
	m := newMapper(p, o, sink)
	m.Begin(7)
	for i := range blocks {
		if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: blocks[i : i+1], size: window}); err != nil {
			return nil, mapper.Result{}, err
		}
	}
	r, err := m.End()
	return sink.tuples, r, err
}

// Rows resolved on their way into the columns are the rows that another implementation
// resolves, shredded.
func TestResolvesAsOthersDo(t *testing.T) {
	resolved, refused := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		names := 0
		w := textOf(t, randomSchema(r, 1+r.IntN(3), &names))
		reader := avrotest.Evolved(r, w.Schema)
		c, err := caseOf(r, w, 1+r.IntN(60))
		if err != nil {
			t.Fatal(err)
		}
		if differsByDesign(w.String()) {
			continue
		}
		text := parseText(t, reader)
		p, err := compile(w.Schema, text.All())
		var got []tuple.Tuple
		if err == nil {
			got, _, err = tryRun(t, p, mapper.Options{}, c.blocks, 0)
		}
		want, err2 := judge(t, c, w.String(), reader)
		var strict *avro.CompatibilityError
		if err == nil && errors.As(err2, &strict) {
			continue // a branch or symbol that has no match is an error for it, and here only where a row has it
		}
		if (err == nil) != (err2 == nil) {
			t.Fatalf("seed %d: %s\nas %s\nours: %v, theirs: %v", seed, w, reader, err, err2)
		}
		if err != nil {
			refused++
			continue
		}
		resolved++
		if d := cmp.Diff(values(want), values(got)); d != "" {
			t.Fatalf("seed %d: %s\nas %s\n%s", seed, w, reader, d)
		}
		checkWindows(t, p, c, r)
	}
	t.Logf("%d resolved, %d refused", resolved, refused)
	if resolved < 1000 || refused < 20 {
		t.Errorf("only %d resolved, %d refused", resolved, refused)
	}
}

// differsByDesign reports whether the judge is known to see it otherwise: maps lose
// their order in it, and keys that are there twice.
func differsByDesign(writer string) bool { return strings.Contains(writer, `"type":"map"`) }

// mostMarkBytes is the most bytes between two marks in checkWindows: some defaults are larger.
const mostMarkBytes = avrotest.LargeDefault / 2

// checkWindows checks that rows cut anywhere are the same tuples, with the same cuts and
// marks.
func checkWindows(t *testing.T, p *program, c *testCase, r *rand.Rand) {
	t.Helper()
	o := mapper.Options{}
	o.BlockSize, o.MarkBytes = 1+r.IntN(300), r.IntN(mostMarkBytes)
	o = o.WithBuffers(1 + r.IntN(2000))
	tuples, want, err := tryRun(t, p, o, c.blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		parts, got, err := tryRun(t, p, o, c.blocks, 1+r.IntN(100))
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(tuples, parts) + differ(want, got); d != "" {
			t.Fatalf("in windows: %s", d)
		}
	}
}

// values are what tuples hold, by column and row.
func values(tuples []tuple.Tuple) []string {
	var out []string
	for _, tp := range tuples {
		out = append(out, fmt.Sprintf("%d %v %d %d %x", tp.Column, tp.Row, tp.Rows, tp.Values, tp.Value))
	}
	slices.Sort(out)
	return out
}
