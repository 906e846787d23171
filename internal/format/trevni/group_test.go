package trevni

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// layout lays out and writes a group, which must not fail, and checks what it told.
func layout(t interface{ Fatalf(string, ...any) }, src reducer.Source, rng reducer.Range, o *options) []byte {
	g, err := lay(context.Background(), src, rng, o)
	if err != nil {
		t.Fatalf("Layout of %v: %v", rng, err)
	}
	defer g.Close()
	return written(t, g, rng)
}

// written writes a group's file and checks its size.
func written(t interface{ Fatalf(string, ...any) }, g *reducer.Group, rng reducer.Range) []byte {
	var file bytes.Buffer
	if err := g.Write(context.Background(), &file); err != nil {
		t.Fatalf("Write of %v: %v", rng, err)
	}
	if int64(file.Len()) != g.Size() {
		t.Fatalf("%v is %d bytes, Size told %d", rng, file.Len(), g.Size())
	}
	return file.Bytes()
}

// checkFile reads a file back and compares each block with its rows encoded in one
// go; a block over the limit must be one run's, and full runs must be there as they
// are.
func checkFile(t interface{ Fatalf(string, ...any) }, tb *table, src memory, file []byte, rng reducer.Range, o *options) {
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		t.Fatalf("NewReader: %v", err)
	}
	if rows := r.Header().Rows; rows != uint64(rng.Rows) {
		t.Fatalf("%d rows in the header, want %d", rows, rng.Rows)
	}
	for i := range tb.cols {
		blocks, err := r.Blocks(i)
		if err != nil {
			t.Fatalf("column %q: %v", tb.cols[i].Name, err)
		}
		cells, at := tb.cells(i, rng.From, rng.To), 0
		for k, b := range blocks {
			got, err := r.ReadBlock(i, k, nil)
			if err != nil {
				t.Fatalf("column %q block %d: %v", tb.cols[i].Name, k, err)
			}
			if want := raw(&tb.cols[i], cells[at:at+int(b.Rows)]); !bytes.Equal(got, want) {
				t.Fatalf("column %q block %d of %d rows is\n%x, want\n%x", tb.cols[i].Name, k, b.Rows, got, want)
			}
			if int(b.RawSize) > o.BlockSize && !src.single(i, rng, at, at+int(b.Rows)) {
				t.Fatalf("column %q block %d: runs were joined to %d bytes", tb.cols[i].Name, k, b.RawSize)
			}
			at += int(b.Rows)
		}
		if at != len(cells) {
			t.Fatalf("column %q has %d rows, want %d", tb.cols[i].Name, at, len(cells))
		}
		src.checkFull(t, file, i, rng, o)
	}
}

// single reports whether the group's rows [lo, hi) are of one run.
func (m memory) single(col int, rng reducer.Range, lo, hi int) bool {
	at := 0
	for _, t := range m[col] {
		if from, to := max(t.Row, rng.From), min(t.End(), rng.To); from < to {
			end := at + int(to-from)
			if at <= lo && hi <= end {
				return true
			}
			at = end
		}
	}
	return false
}

// checkFull looks for the values of the full runs wholly in the range.
func (m memory) checkFull(t interface{ Fatalf(string, ...any) }, file []byte, col int, rng reducer.Range, o *options) {
	for _, tu := range m[col] {
		full := 2*int(tu.Raw) >= o.BlockSize && tu.Row >= rng.From && tu.End() <= rng.To
		if full && !bytes.Contains(file, tu.Value) {
			t.Fatalf("column %d: the full run from %v is not in the file as it was", col, tu.Row)
		}
	}
}

// drawOptions draws the options of a job on a table.
func drawOptions(t *rapid.T, tb *table) *options {
	spec, err := block.ParseCodec(rapid.SampledFrom([]string{"null", "snappy", "deflate:1"}).Draw(t, "codec"))
	if err != nil {
		t.Fatal(err)
	}
	return &options{
		Columns: tb.cols, Codec: spec,
		Meta:        trevni.Metadata{{Key: "k", Value: []byte("v")}},
		Checksum:    rapid.SampledFrom([]trevni.Checksum{0, trevni.ChecksumCRC32, trevni.ChecksumCRC32LE}).Draw(t, "checksum"),
		BlockSize:   rapid.SampledFrom([]int{1, 2, 16, 64, 300, 1 << 20}).Draw(t, "block"),
		Workers:     rapid.IntRange(1, 4).Draw(t, "workers"),
		Readers:     rapid.IntRange(0, 4).Draw(t, "readers"),
		StageMemory: rapid.SampledFrom([]int64{1, 1 << 20}).Draw(t, "stage"),
	}
}

func TestAnyGroupingGivesTheSameRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb, r := random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 4).Draw(t, "splits"), 60)
		o := drawOptions(t, tb)
		src := tb.tuples(r, o, drawRun(t))
		edges := tb.edges()
		for i := 0; i+1 < len(edges); {
			k := i + 1 + r.IntN(len(edges)-i-1)
			rng := tb.span(edges[i], edges[k])
			checkFile(t, tb, src, layout(t, src, rng, o), rng, o)
			i = k
		}
	})
}

// drawRun draws the raw size at which runs are cut.
func drawRun(t *rapid.T) int { return rapid.SampledFrom([]int{1, 8, 64, 512}).Draw(t, "run") }

func TestResizeGivesWhatLayoutWouldHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb, r := random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 5).Draw(t, "splits"), 60)
		o := drawOptions(t, tb)
		src := tb.tuples(r, o, drawRun(t))
		edges := tb.edges()
		first := r.IntN(len(edges))
		from := edges[first]
		var g *reducer.Group
		for range rapid.IntRange(2, 5).Draw(t, "tries") {
			to := edges[first+r.IntN(len(edges)-first)]
			rng := tb.span(from, to)
			var err error
			if g == nil {
				g, err = lay(context.Background(), src, rng, o)
			} else {
				err = g.Resize(context.Background(), rng)
			}
			if err != nil {
				t.Fatalf("%v: %v", rng, err)
			}
			if got, want := written(t, g, rng), layout(t, src, rng, o); !bytes.Equal(got, want) {
				t.Fatalf("%v resized is %d bytes that differ from the %d laid out", rng, len(got), len(want))
			}
			if got, want := g.Memory(), takes(t, src, rng, o); got != want {
				t.Fatalf("%v resized takes %d bytes, laid out %d", rng, got, want)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBytesDoNotDependOnWorkersOrStage(t *testing.T) {
	tb, r := random(7, 3, 200)
	o := &options{Columns: tb.cols, Codec: codec(t, "snappy"), Checksum: trevni.ChecksumCRC32, BlockSize: 256}
	src := tb.tuples(r, o, 200)
	rng := tb.span(0, tuple.RowOf(3, 0))
	want := layout(t, src, rng, o)
	for _, workers := range []int{1, 2, 7} {
		for _, stage := range []int64{1, 1 << 10, 1 << 30} {
			p := *o
			p.Workers, p.StageMemory, p.Temp = workers, stage, reducer.TempDir(t.TempDir())
			if !bytes.Equal(layout(t, src, rng, &p), want) {
				t.Errorf("%d workers and %d bytes of stage gave other bytes", workers, stage)
			}
		}
	}
}

func TestEmptyGroups(t *testing.T) {
	tb, r := random(3, 2, 20)
	o := &options{Columns: tb.cols}
	src := tb.tuples(r, o, 100)
	rng := reducer.Range{From: tuple.RowOf(1, 0), To: tuple.RowOf(1, 0)}
	checkFile(t, tb, src, layout(t, src, rng, o), rng, o)

	none := &options{Meta: trevni.Metadata{{Key: "avro.schema", Value: []byte("{}")}}}
	file := layout(t, memory{}, reducer.Range{To: tuple.RowOf(1, 0), Rows: 5}, none)
	f, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil || f.Header().Rows != 5 || len(f.Header().Columns) != 0 {
		t.Errorf("a group without columns: %v", err)
	}
}

func TestLargeBlocksPassAndAreStaged(t *testing.T) {
	value := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB, stored as it is
	big := append(block.AppendLong(nil, int64(len(value))), value...)
	tb := &table{cols: []trevni.Column{{Name: "s", Type: trevni.String}}}
	for range 2 {
		cells := make([]cell, 4)
		for i := range cells {
			cells[i].values = [][]byte{big}
		}
		tb.splits, tb.marks = append(tb.splits, [][]cell{cells}), append(tb.marks, []int{1, 2, 3})
	}
	o := &options{Columns: tb.cols, StageMemory: 1, Workers: 1}
	src := memory{tb.splitTuples(rand.New(rand.NewPCG(1, 1)), encoder(o), 0, 0, 1<<30)}
	src[0] = append(src[0], tb.splitTuples(rand.New(rand.NewPCG(1, 1)), encoder(o), 0, 1, 1<<30)...)
	rng := reducer.Range{From: 1, To: tuple.RowOf(1, 3), Rows: 6}
	file := layout(t, src, rng, o)
	checkFile(t, tb, src, file, rng, o)
	if len(file) < 6<<20 {
		t.Errorf("the file is %d bytes", len(file))
	}
}
