package jobs

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// rounds is how many tables are tried; METAMORPHIC asks for more.
func rounds(t *testing.T) int {
	text := os.Getenv("METAMORPHIC")
	if text == "" {
		return 40
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// firstSeed is the seed of the first table; METAMORPHIC_SEED repeats one.
func firstSeed(t *testing.T) uint64 {
	text := os.Getenv("METAMORPHIC_SEED")
	if text == "" {
		return rand.Uint64() >> 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	must(t, err)
	return n
}

// Tables of random schemas and rows are converted with random workers, memory, blocks,
// files, codecs, splits and spill folders: always the same rows, and the same bytes where
// the options that shape them are the same.
func TestMetamorphic(t *testing.T) {
	n, first := rounds(t), firstSeed(t)
	t.Logf("%d tables from seed %d on", n, first)
	var spilled, cut, rows, sorted atomic.Int64
	next := atomic.Int64{}
	t.Run("tables", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; i < int64(n) && !t.Failed(); i = next.Add(1) - 1 {
					m := newMetamorph(t, first+uint64(i))
					m.check(t)
					spilled.Add(m.spilled)
					cut.Add(m.cut)
					sorted.Add(m.sorted)
					rows.Add(int64(len(m.rows)))
				}
			})
		}
	})
	t.Logf("%d rows in all; of %d runs %d spilled, %d wrote several files, %d sorted", rows.Load(), 4*n, spilled.Load(), cut.Load(), sorted.Load())
	if spilled.Load() == 0 || cut.Load() == 0 || sorted.Load() == 0 {
		t.Error("no run spilled, or wrote several files, or sorted")
	}
}

// metamorph is one table in several files, to be converted in several ways.
type metamorph struct {
	seed  uint64
	r     *rand.Rand
	table *avrotest.Table
	rows  [][]byte
	files map[string]string

	spilled, cut, sorted int64
}

func newMetamorph(t *testing.T, seed uint64) *metamorph {
	t.Helper()
	m := &metamorph{seed: seed, r: rand.New(rand.NewPCG(seed, 5)), table: avrotest.NewTable(seed), files: map[string]string{}}
	for i := range 1 + m.r.IntN(4) {
		rows := m.table.Rows(m.r.IntN(1 + m.r.IntN(1500)))
		file, err := m.table.File([]string{"null", "snappy", "deflate"}[m.r.IntN(3)], rows)
		must(t, err)
		m.files[fmt.Sprintf("/in/%d.avro", i)] = string(file)
		m.rows = append(m.rows, rows...)
	}
	return m
}

// shape draws the options that shape an output.
func (m *metamorph) shape() Options {
	return Options{
		Output:    []string{"/out", "/out", "/out.trv"}[m.r.IntN(3)],
		Codec:     []string{"null", "snappy", "snappy:better", "deflate:1", "deflate:6"}[m.r.IntN(5)],
		Checksum:  []string{"crc32", "crc-32", "null"}[m.r.IntN(3)],
		FileSize:  20 << 10 << m.r.IntN(6),
		BlockSize: 1 << 10 << m.r.IntN(7),
		SplitSize: 1 << 10 << m.r.IntN(9),
		SortBy:    m.sortBy(),
	}
}

// sortBy draws fields to sort by, if there are some; half of the time none.
func (m *metamorph) sortBy() (fields []string) {
	s, err := schema.Parse(m.table.Schema)
	if err != nil {
		panic(err)
	}
	paths := avrotest.Simple(s)
	if len(paths) == 0 || m.r.IntN(2) == 0 {
		return nil
	}
	for _, i := range m.r.Perm(len(paths))[:1+m.r.IntN(min(3, len(paths)))] {
		fields = append(fields, paths[i]+[]string{"", ":desc"}[m.r.IntN(2)])
	}
	return fields
}

// want returns the rows in the order that is asked for.
func (m *metamorph) want(t *testing.T, o Options) [][]byte {
	t.Helper()
	s, err := schema.Parse(m.table.Schema)
	must(t, err)
	rows := slices.Clone(m.rows)
	avrotest.SortBy(s, rows, o.SortBy...)
	return rows
}

// check converts the table twice with the same shape and in two more ways.
func (m *metamorph) check(t *testing.T) {
	t.Helper()
	same := m.shape()
	one := m.convert(t, same, 1, 0)
	two := m.convert(t, same, 1+m.r.IntN(6), 1+m.r.Int64N(1<<20))
	if !maps.Equal(one, two) {
		t.Fatalf("seed %d, %+v: other workers and memory, other bytes: %v and %v", m.seed, same, keys(one), keys(two))
	}
	m.compare(t, same, one)
	for range 2 {
		other := m.shape()
		m.compare(t, other, m.convert(t, other, 1+m.r.IntN(6), 1+m.r.Int64N(1<<20)))
	}
}

// convert runs a job with a shuffle of about so many bytes more than the least, 0: as
// planned, and returns the files.
func (m *metamorph) convert(t *testing.T, o Options, workers int, shuffle int64) map[string]string {
	t.Helper()
	fs := storagetest.NewMem()
	for name, data := range m.files {
		fs.Write(name, data)
	}
	o.Inputs, o.FS, o.Workers, o.Memory = []string{"/in"}, fs, workers, 256<<20
	temp := &memTemp{fault: &storagetest.Fault{FS: fs}}
	o.spills, o.Verify = temp, m.r.IntN(2) == 0
	for i := range 1 + m.r.IntN(3) {
		o.TempDirs = append(o.TempDirs, fmt.Sprint("/tmp/", i))
	}
	o.stage = temp.stage
	if shuffle > 0 {
		shuffle += int64(workers+2)*64<<10 + 128<<10
	}
	if shuffle > 0 {
		o.divide = func(p *memoryPlan) { p.Chunks, p.Runs, p.Merge = m.r.Int64N(4<<20), 3<<20, m.r.Int64N(1<<18) }
	}
	report, err := convertWith(t, o, shuffle)
	for err != nil {
		switch small := err.Error(); {
		case strings.Contains(small, "has no room for rows"), strings.Contains(small, "is too small for this table"):
			o.FileSize *= 4
		case strings.Contains(small, "shuffle: memory too small"): // for a run of one large row
			shuffle *= 2
		default:
			t.Fatalf("seed %d, %+v: %v\n%s", m.seed, o, err, m.table.Schema)
		}
		report, err = convertWith(t, o, shuffle)
	}
	if report.Run.SpilledBytes > 0 {
		m.spilled++
	}
	if len(report.Outputs) > 1 {
		m.cut++
	}
	if len(o.SortBy) > 0 {
		m.sorted++
	}
	if report.Counters.Rows != int64(len(m.rows)) {
		t.Fatalf("seed %d, %+v: %d rows reported, %d written", m.seed, o, report.Counters.Rows, len(m.rows))
	}
	if len(temp.files) > 0 || len(left(fs)) > 0 {
		t.Fatalf("seed %d: %d temporary files stay; %v", m.seed, len(temp.files), left(fs))
	}
	files := map[string]string{}
	for _, out := range report.Outputs {
		name := out.Path
		if !o.single() {
			name = o.Output + "/" + name
		}
		files[out.Path] = fs.Files()[name]
	}
	return files
}

// compare reads the files back, row for row.
func (m *metamorph) compare(t *testing.T, o Options, files map[string]string) {
	t.Helper()
	want := m.want(t, o)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := trevni.NewReader(strings.NewReader(files[name]), int64(len(files[name])), nil)
		must(t, err)
		r, err := record.NewReader(f, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", m.seed, err, m.table.Schema)
		}
		for {
			got, n, err := r.Append(nil, 1)
			if err == io.EOF {
				break
			}
			if err != nil || n > len(want) {
				t.Fatalf("seed %d, %+v: %s: %v; %d rows are left", m.seed, o, name, err, len(want))
			}
			if !bytes.Equal(got, bytes.Join(want[:n], nil)) {
				t.Fatalf("seed %d, %+v: %s: row %d is %x, want %x\n%s", m.seed, o, name, len(m.rows)-len(want), got, want[0], m.table.Schema)
			}
			want = want[n:]
		}
	}
	if len(want) > 0 {
		t.Fatalf("seed %d, %+v: %d of %d rows are missing", m.seed, o, len(want), len(m.rows))
	}
}
