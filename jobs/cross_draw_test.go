package jobs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"avro2trevni/internal/ocf"
)

// crossDraw is a draw: inputs that arrive, and runs that convert them into one output.
type crossDraw struct {
	seed     uint64
	d        *drawer
	rows     *modelType // of the schema that is asked for, or else the inputs'
	out      *modelType // what is left of it
	keeps    kept
	resolved bool // whether it is asked for
	o        Options
	spread   int  // most rows of an input
	block    bool // whether they are in one block
	runs     []*crossRun
}

// crossRun is a run, and the inputs that are written before it.
type crossRun struct {
	o     Options
	files []*crossFile
}

// crossFile is an input.
type crossFile struct {
	name   string
	data   []byte
	blocks [][]any // their rows, of the schema that is asked for
	spans  []blockSpan

	damage  string // what was done to it
	gone    bool   // its header is damaged
	lost    map[int]bool
	skipped int64 // bytes in damaged ranges
}

// newCross returns the draw of a seed.
func newCross(seed uint64) *crossDraw {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 7)), odd: []string{""}}
	c := &crossDraw{seed: seed, d: d, keeps: kept{}}
	if d.chance(2) {
		d.odd = []string{"", "_", "$", "a ", "b-", "c."}
	}
	d.often = 3 + d.IntN(20)
	switch d.IntN(8) {
	case 0, 1:
		d.fat, d.most = 6<<20, 240_000
	case 2:
		d.fat, d.most = 6<<20, 2_500_000
	}
	c.spread = one(d, 10, 60, 300)
	c.resolved = d.chance(2)
	if c.rows = d.typ(2); !slices.Contains([]string{"union", "array", "map", "long", "string"}, c.rows.kind) || d.chance(2) {
		c.rows = d.record(1+d.IntN(3), 1+d.IntN(6))
	}
	if c.rows.kind == "record" {
		c.drawFields()
	}
	c.choose()
	c.shape()
	c.drawRuns()
	if rand.New(rand.NewPCG(seed, 5)).IntN(3) == 0 {
		c.asParquet()
	}
	return c
}

// drawFields adds to the fields of the rows what only the rows' may have.
func (c *crossDraw) drawFields() {
	d := c.d
	if c.resolved {
		for i := range c.rows.fields {
			if d.chance(4) {
				c.rows.fields[i].alias = d.name("was")
			}
		}
		if d.chance(10) {
			c.drawLarge()
		}
	}
	c.rows.fields = append(c.rows.fields, modelField{name: "id", typ: &modelType{kind: "long", only: -1}})
}

// drawLarge makes the inputs large blocks of small rows, some of which a default makes large.
func (c *crossDraw) drawLarge() {
	d := c.d
	c.spread, c.block, d.fat = 3000, true, 0
	pad := modelField{name: "pad", typ: &modelType{kind: "fixed", name: "Pad", size: 600, only: -1}}
	fallback := modelField{name: "fallback", typ: &modelType{kind: "bytes", only: -1}, has: true, fallback: strings.Repeat("d", 30_000+d.IntN(40_000))}
	of := &modelType{kind: "record", name: "Large", fields: []modelField{{name: "n", typ: &modelType{kind: "int", only: -1}}, fallback}, only: -1}
	c.rows.fields = append(c.rows.fields, pad, modelField{name: "large", typ: &modelType{kind: "array", items: of, only: -1, few: true}})
}

// choose draws what is kept of the schema.
func (c *crossDraw) choose() {
	var paths []string
	var walk func(t *modelType, at string)
	walk = func(t *modelType, at string) {
		t.children(func(i int, child *modelType) {
			below := at
			if t.kind == "record" {
				below = strings.TrimPrefix(at+"."+t.fields[i].name, ".")
				paths = append(paths, below)
			}
			walk(child, below)
		})
	}
	walk(c.rows, "")
	if c.d.chance(4) && len(paths) > 0 {
		for range 1 + c.d.IntN(4) {
			c.o.Columns = append(c.o.Columns, one(c.d, paths...))
		}
	}
	if c.d.chance(5) && len(paths) > 1 && len(c.o.Columns) == 0 {
		c.o.Exclude = []string{one(c.d, paths[:len(paths)-1]...)} // not id
	}
	for _, p := range c.o.Columns {
		c.keeps.choose(c.rows, p)
	}
	if len(c.o.Columns) == 0 {
		c.keeps.whole(c.rows)
	}
	for _, p := range c.o.Exclude {
		c.keeps.exclude(c.rows, p)
	}
	c.out = c.keeps.project(c.rows)
}

// shape draws the options that shape an output.
func (c *crossDraw) shape() {
	d, o := c.d, &c.o
	o.Output = one(d, "/out", "/out", "/out", "/out", "/out.trv")
	o.Codec = one(d, "null", "snappy", "snappy:better", "deflate:1")
	o.Checksum = one(d, "crc32", "crc-32", "null")
	o.FileSize = one(d, int64(20<<10), 40<<10, 80<<10, 200<<10, 1<<20, 1<<30)
	o.BlockSize = 1 << 10 << d.IntN(7)
	o.SplitSize = one(d, int64(1<<10), 4<<10, 32<<10, 256<<10, 2<<20, 8<<20, 8<<20)
	o.OnCorrupt = one(d, "", CorruptSkipBlock, CorruptSkipFile)
	if c.resolved {
		o.Schema = "/reader.avsc"
	}
	if c.block {
		o.Codec, o.FileSize = "null", one(d, int64(40<<10), 200<<10)
	}
	paths := slices.DeleteFunc(sortPaths(c.out), func(p string) bool { return p == "" })
	if len(paths) > 0 && d.chance(2) {
		for _, i := range d.Perm(len(paths))[:1+d.IntN(min(3, len(paths)))] {
			o.SortBy = append(o.SortBy, paths[i]+one(d, "", ":asc", ":desc"))
		}
		if d.chance(4) && indexable(c.out, o.SortBy[0]) {
			o.Index = []string{strings.TrimSuffix(o.SortBy[0], ":asc")}
		}
	}
	parts := slices.DeleteFunc(paths, func(p string) bool { return partitionType(c.out, p) == nil })
	if len(parts) > 0 && !o.Single() && d.chance(3) {
		o.PartitionBy = one(d, parts...)
		o.MaxPartitions = one(d, 0, 0, 0, 30)
	}
}

// asParquet makes a draw one of Parquet files, without what these cannot have.
func (c *crossDraw) asParquet() {
	r := rand.New(rand.NewPCG(c.seed, 6))
	o := &c.o
	o.Format = FormatParquet
	o.Output = strings.Replace(o.Output, ".trv", ".parquet", 1)
	o.PageSize, o.BlockSize, o.Checksum, o.Index = o.BlockSize, 0, "", nil
	o.Codec = strings.Replace(o.Codec, "deflate", []string{"gzip", "zstd"}[r.IntN(2)], 1)
	o.FileSize = max(o.FileSize, 80<<10)
	o.PageVersion = r.IntN(3)
	o.Encodings = []string{"", EncodingsModern}[r.IntN(2)]
	o.LogicalTypes = []string{"", LogicalAll}[r.IntN(2)]
	o.InvalidUTF8 = InvalidBinary // bytes are read as strings
	o.Summary = !o.Single() && o.PartitionBy == "" && r.IntN(4) == 0
	o.FooterEvery = r.IntN(3)
	if indexable(c.out, "id") && r.IntN(3) == 0 {
		o.Codec += []string{",id=null", ",id=zstd", ",id=gzip:1"}[r.IntN(3)]
	}
	for _, run := range c.runs {
		was := run.o
		run.o = *o
		run.o.IfExists, run.o.Changed, run.o.Verify = was.IfExists, was.Changed, was.Verify
	}
}

// indexable reports whether rows that are sorted by a field can be indexed by it.
func indexable(t *modelType, by string) bool {
	path, way, _ := strings.Cut(by, ":")
	for _, f := range t.fields {
		if f.name == path && !slices.Contains([]string{"null", "boolean", "union", "array", "map", "record"}, f.typ.kind) {
			return way == "asc" || way == "" && f.order != "descending"
		}
	}
	return false
}

// drawRuns draws what arrives, and what is run.
func (c *crossDraw) drawRuns() {
	d := c.d
	damage := d.chance(3)
	var all []*crossFile
	for n := range 1 + d.IntN(4) {
		r := &crossRun{o: c.o}
		r.o.IfExists = IfExistsReplace
		if !c.o.Single() && !d.chance(4) {
			r.o.IfExists = IfExistsAppend
			r.o.Changed = one(d, "", ChangedConvert, ChangedIgnore)
		}
		r.o.Verify = d.chance(2)
		for range d.IntN(4) {
			r.files = append(r.files, c.file(len(all)+len(r.files), damage))
		}
		if n == 0 && len(r.files) == 0 {
			r.files = append(r.files, c.file(0, damage))
		}
		if len(all) > 0 && d.chance(4) {
			again := c.file(99, damage)
			again.name = one(d, all...).name
			r.files = append(r.files, again)
		}
		all = append(all, r.files...)
		c.runs = append(c.runs, r)
	}
}

// file draws an input.
func (c *crossDraw) file(n int, damage bool) *crossFile {
	d := c.d
	f := &crossFile{name: fmt.Sprintf("/in/%s%d%s.avro", one(d, "b", "a", "sub/", "sub/"), n, one(d, "", "", " x", "$", "é", "\xe9")), lost: map[int]bool{}}
	w := c.rows
	if c.resolved && !d.chance(4) {
		w = c.writer()
	}
	var sync [ocf.SyncSize]byte
	for i := range sync {
		sync[i] = byte(d.Uint32())
	}
	d.mark = ""
	if d.chance(20) {
		d.mark = string(sync[:])
	}
	codec := one(d, "null", "snappy", "snappy", "deflate")
	if c.block {
		codec = one(d, "null", "deflate") // which are not decoded at once
	}
	var data bytes.Buffer
	writer, err := ocf.NewWriter(&data, &ocf.WriterOptions{Schema: w.text(), Codec: codec, Sync: sync, BlockBytes: 1})
	if err != nil {
		panic(err)
	}
	most := one(d, 1, 5, 40, 1000)
	for left := d.IntN(1 + d.IntN(1+c.spread)); left > 0; {
		rows := 1 + d.IntN(min(left, most))
		if c.block {
			rows = left
		}
		var raw []byte
		var block []any
		for range rows {
			v := d.value(w)
			raw = w.encode(raw, v, d.Rand)
			x, ok := resolve(w, c.rows, v)
			if !ok {
				panic(fmt.Sprintf("seed %d: a value of %s that is none of %s", c.seed, w.text(), c.rows.text()))
			}
			block = append(block, x)
		}
		at := int64(data.Len())
		if err := writer.Append(raw, rows); err != nil {
			panic(err)
		}
		f.blocks = append(f.blocks, block)
		f.spans = append(f.spans, blockSpan{from: at, to: int64(data.Len())})
		left -= rows
	}
	if err := writer.Close(); err != nil {
		panic(err)
	}
	f.data = data.Bytes()
	if damage && d.chance(2) {
		f.spoil(d, codec)
	}
	return f
}

// writer draws the schema of an input: one whose rows take bytes.
func (c *crossDraw) writer() *modelType {
	if c.rows.kind == "record" {
		return &modelType{kind: "record", name: c.rows.name, fields: c.d.writerFields(c.rows), only: -1}
	}
	w := c.d.writer(c.rows)
	if w.kind == "null" || w.kind == "record" || w.kind == "fixed" {
		return c.rows
	}
	return w
}

// spoil damages a file, in a way that cannot go unnoticed.
func (f *crossFile) spoil(d *drawer, codec string) {
	n := len(f.spans)
	how := d.IntN(6)
	if n == 0 {
		how = 4
	}
	switch at := d.IntN(max(n, 1)); {
	case how == 0 && codec == "snappy":
		s := f.spans[at]
		from, to := f.payload(s)
		was, _ := s2.Decode(nil, f.data[from:to-4])
		flipped := from + d.IntN(to-from)
		f.data[flipped] ^= byte(1 + d.IntN(255))
		if is, err := s2.Decode(nil, f.data[from:to-4]); flipped < to-4 && err == nil && bytes.Equal(is, was) {
			break // a copy from another place of the same bytes
		}
		f.lose(fmt.Sprintf("a byte of block %d", at), at, at, s.to)
	case how <= 1:
		s := f.spans[at]
		for range 1 + d.IntN(7) {
			f.data[int(s.to)-1-d.IntN(ocf.SyncSize)] ^= byte(1 + d.IntN(255))
		}
		f.lose(fmt.Sprintf("the marker of block %d", at), at, at, s.to)
		if bytes.Equal(f.data[s.to-ocf.SyncSize:s.to], f.data[f.spans[0].from-ocf.SyncSize:f.spans[0].from]) {
			f.damage, f.lost, f.skipped = "", map[int]bool{}, 0 // two changes undid each other
		}
	case how == 2:
		s := f.spans[at]
		end := s.from + 1 + d.Int64N(s.to-s.from-1)
		f.data = f.data[:end]
		f.lose(fmt.Sprintf("cut at %d in block %d", end, at), at, n-1, end)
	case how == 3 && at+1 < n:
		last := at + 1 + d.IntN(n-at-1)
		from, _ := f.payload(f.spans[at])
		_, to := f.payload(f.spans[last])
		for i := from; i < to; i++ {
			f.data[i] = 0xaa
		}
		f.lose(fmt.Sprintf("bytes %d to %d, of blocks %d to %d", from, to, at, last), at, last, f.spans[last].to)
	case how == 4:
		copy(f.data, "junk")
		f.damage, f.gone, f.skipped = "its header", true, int64(len(f.data))
	default:
		end := int64(len(f.data))
		f.data = append(f.data, bytes.Repeat([]byte{0xaa}, 1+d.IntN(50))...)
		f.damage, f.skipped = "bytes after its end", int64(len(f.data))-end
	}
}

// lose notes that blocks are lost, up to a byte of the file.
func (f *crossFile) lose(what string, first, last int, end int64) {
	f.damage, f.skipped = what, end-f.spans[first].from
	for i := first; i <= last; i++ {
		f.lost[i] = true
	}
}

// payload returns where the data of a block are.
func (f *crossFile) payload(s blockSpan) (from, to int) {
	_, n := binary.Varint(f.data[s.from:])
	_, m := binary.Varint(f.data[int(s.from)+n:])
	return int(s.from) + n + m, int(s.to) - ocf.SyncSize
}

var long = regexp.MustCompile(`d{50,}`)

// String shows the draw on a line for each run and input, and the schema.
func (c *crossDraw) String() string {
	var b strings.Builder
	o := c.o
	fmt.Fprintf(&b, "seed %d: %s --format %q --codec %s --checksum %s --file-size %d --block-size %d --page-size %d, splits of %d, --on-corrupt %q", c.seed, o.Output, o.Format, o.Codec, o.Checksum, o.FileSize, o.BlockSize, o.PageSize, o.SplitSize, o.OnCorrupt)
	fmt.Fprintf(&b, " --sort-by %q --partition-by %q --max-partitions %d --index %q --columns %q --exclude %q --schema %q\n", o.SortBy, o.PartitionBy, o.MaxPartitions, o.Index, o.Columns, o.Exclude, o.Schema)
	for i, r := range c.runs {
		fmt.Fprintf(&b, "run %d: --if-exists %s --changed %q --verify=%t\n", i, r.o.IfExists, r.o.Changed, r.o.Verify)
		for _, f := range r.files {
			rows, most := 0, int64(0)
			for i, s := range f.spans {
				rows += len(f.blocks[i])
				most = max(most, s.to-s.from)
			}
			fmt.Fprintf(&b, "  %q: %d rows in %d blocks, the largest of %d bytes; damaged: %s\n", f.name, rows, len(f.blocks), most, cmp.Or(f.damage, "no"))
		}
	}
	return b.String() + long.ReplaceAllStringFunc(c.rows.text(), func(s string) string { return fmt.Sprintf("<%d d>", len(s)) })
}
