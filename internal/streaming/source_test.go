package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"avro2trevni/internal/tuple"
)

// table is what a partition's map tasks send, made at random.
type table struct {
	o       Options
	records []record
	values  map[[2]uint64][]byte // by column and row
	notes   map[[2]uint64][]byte
}

type record struct {
	key   Key
	value []byte
}

func newTable(t *testing.T, r *rand.Rand) *table {
	tab := &table{o: Options{Key: 3, Order: Order(r.IntN(2) == 0), Columns: 1 + r.IntN(4), First: r.IntN(3), Temp: tempIn(t.TempDir())}, values: map[[2]uint64][]byte{}, notes: map[[2]uint64][]byte{}}
	noted := r.IntN(3) // 0: no run has a note
	tab.o.End = tab.o.First + 1 + r.IntN(4)
	for s := tab.o.First; s < tab.o.End; s++ {
		rows := r.IntN(100)
		x := Index{Rows: int64(rows), Bytes: int64(rows * 10), Note: fmt.Appendf(nil, "split %d", s), Columns: make([][]Run, tab.o.Columns)}
		for c := range tab.o.Columns {
			for at := 0; at < rows; {
				n := 1 + r.IntN(rows-at)
				v := make([]byte, r.IntN(40))
				for i := range v {
					v[i] = byte(r.Uint32())
				}
				row, early := tuple.RowOf(s, int64(at)), r.IntN(2) == 0
				note := v[:r.IntN(1+noted*len(v)/2)]
				x.Add(&tuple.Tuple{Column: uint32(c), Rows: uint32(n), Values: 1, Raw: 2, Size: uint32(len(v)), Note: note}, early)
				tab.notes[[2]uint64{uint64(c), uint64(row)}] = note
				key := tab.o.Order.RunKey(tab.o.Key, uint32(c), row)
				if early {
					key = EarlyKey(tab.o.Key, uint32(c), row)
				}
				tab.records = append(tab.records, record{key, v})
				tab.values[[2]uint64{uint64(c), uint64(row)}] = v
				at += n
			}
		}
		tab.records = append(tab.records, record{IndexKey(tab.o.Key, s), x.Append(nil)})
	}
	slices.SortFunc(tab.records, func(a, b record) int { return bytes.Compare(a.key.append(nil), b.key.append(nil)) })
	return tab
}

// tempIn returns a maker of temporary files.
func tempIn(dir string) func() (File, error) {
	return func() (File, error) { return os.CreateTemp(dir, "stage") }
}

// read reads records as a partition, and then all its runs: several ranges of splits at
// the same time, as files are written.
func (tab *table) read(r *rand.Rand, records []record) error {
	var in bytes.Buffer
	w := NewWriter(&in)
	for _, rec := range records {
		if err := w.Write(rec.key, rec.value); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	p, err := ReadPartition(NewReader(&in), tab.o)
	if err != nil {
		return err
	}
	defer p.Close()
	edges := []tuple.Row{tuple.RowOf(tab.o.First, 0)}
	for s := tab.o.First + 1; s < tab.o.End; s++ {
		if r.IntN(2) == 0 {
			edges = append(edges, tuple.RowOf(s, 0))
		}
	}
	edges = append(edges, tuple.RowOf(tab.o.End, 0))
	errs := make([]error, len(edges)-1)
	var files sync.WaitGroup
	for i := range errs {
		files.Go(func() {
			if errs[i] = tab.file(p, edges[i], edges[i+1]); errs[i] != nil {
				p.Fail(errs[i])
			}
		})
	}
	files.Wait()
	return errors.Join(append(errs, p.End())...)
}

// file takes the runs of a range, in the partition's order.
func (tab *table) file(p *Partition, from, to tuple.Row) error {
	if tab.o.Order == ByColumn {
		return tab.take(p, from, to)
	}
	for s := from.Split(); s < to.Split(); s++ {
		if err := tab.take(p, tuple.RowOf(s, 0), tuple.RowOf(s+1, 0)); err != nil {
			return err
		}
	}
	return nil
}

// take takes the runs of a range, column after column.
func (tab *table) take(p *Partition, from, to tuple.Row) error {
	for c := range tab.o.Columns {
		sc := p.Scan(uint32(c), from, to)
		for sc.Next() {
			tu := sc.Tuple()
			v, err := sc.Value([]byte("."))
			if err != nil {
				return err
			}
			if want := tab.values[[2]uint64{uint64(c), uint64(tu.Row)}]; string(v) != "."+string(want) {
				return fmt.Errorf("column %d row %v: another value", c, tu.Row)
			}
			note, err := sc.Note()
			if err != nil {
				return err
			}
			if want := tab.notes[[2]uint64{uint64(c), uint64(tu.Row)}]; !bytes.Equal(note, want) {
				return fmt.Errorf("column %d row %v: another note", c, tu.Row)
			}
		}
		if err := errors.Join(sc.Err(), sc.Close()); err != nil {
			return err
		}
	}
	return nil
}

// All runs come to those who want them, for any table and files. A record that is
// missing, twice, out of place, or of another size is an error.
func TestPartition(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		tab := newTable(t, r)
		if err := tab.read(r, tab.records); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		i := r.IntN(len(tab.records))
		for name, bad := range map[string][]record{
			"missing": slices.Delete(slices.Clone(tab.records), i, i+1),
			"twice":   slices.Insert(slices.Clone(tab.records), i, tab.records[i]),
			"longer":  changed(tab.records, i, func(r *record) { r.value = append(slices.Clone(r.value), 0) }),
			"column":  changed(tab.records, i, func(r *record) { r.key.Major += 100 }),
			"other":   changed(tab.records, i, func(r *record) { r.key.Partition++ }),
		} {
			if err := tab.read(r, bad); !errors.Is(err, ErrRecords) {
				t.Errorf("seed %d: record %d %s: %v", seed, i, name, err)
			}
		}
		if k := r.IntN(len(tab.records)); k != i && !tab.swaps(i, k) {
			bad := slices.Clone(tab.records)
			bad[i], bad[k] = bad[k], bad[i]
			if err := tab.read(r, bad); !errors.Is(err, ErrRecords) {
				t.Errorf("seed %d: records %d and %d exchanged: %v", seed, i, k, err)
			}
		}
	}
}

// swaps reports whether two records may come in either order: early runs may, among
// themselves and with the index of another split.
func (tab *table) swaps(i, k int) bool {
	a, b := tab.records[i].key, tab.records[k].key
	return a.Major == 0 && b.Major == 0 && a.Item+b.Item > 0
}

func changed(records []record, i int, change func(*record)) []record {
	all := slices.Clone(records)
	change(&all[i])
	return all
}

// A run that was taken, and a stream that breaks, are errors for all who wait.
func TestFeedFails(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	tab := newTable(t, r)
	for len(tab.records) < 20 {
		tab = newTable(t, r)
	}
	tab.o.Temp = func() (File, error) { return nil, errors.New("no room") }
	if err := tab.read(r, tab.records); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("no stage: %v", err)
	}
	x := Index{Rows: 2, Columns: [][]Run{{{Rows: 1, Raw: 1, Size: 1}, {Rows: 1, Raw: 1, Size: 1}}}}
	var in bytes.Buffer
	w := NewWriter(&in)
	if err := errors.Join(w.Write(IndexKey(0, 0), x.Append(nil)), w.Write(ByColumn.RunKey(0, 0, 0), []byte("a")),
		w.Write(ByColumn.RunKey(0, 0, 1), []byte("b")), w.Flush()); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPartition(NewReader(&in), Options{Columns: 1, End: 1})
	if err != nil {
		t.Fatal(err)
	}
	sc := p.Scan(0, 0, tuple.RowOf(1, 0))
	if _, err := sc.Value(nil); err == nil || !strings.Contains(err.Error(), "without a run") {
		t.Errorf("before the first: %v", err)
	}
	first := p.Scan(0, 0, tuple.RowOf(1, 0))
	if first.Next(); first.Tuple().Row != 0 {
		t.Fatal("another run")
	}
	if v, err := first.Value(nil); err != nil || string(v) != "a" {
		t.Fatalf("%q: %v", v, err)
	}
	if _, err := first.Value(nil); err == nil || !strings.Contains(err.Error(), "was taken before") {
		t.Errorf("twice: %v", err)
	}
	if err := p.End(); err == nil || !strings.Contains(err.Error(), "was not taken") {
		t.Errorf("at the end: %v", err)
	}
	p.Fail(io.ErrClosedPipe)
	late := p.Scan(0, 1, tuple.RowOf(1, 0))
	if late.Next(); true {
		if _, err := late.Value(nil); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after a failure: %v", err)
		}
	}
}

// What was staged and comes back otherwise is an error.
func TestStageDamage(t *testing.T) {
	dir := t.TempDir()
	f, err := os.CreateTemp(dir, "stage")
	if err != nil {
		t.Fatal(err)
	}
	s := stage{temp: func() (File, error) { return f, nil }}
	at, err := s.put([]byte("hello"))
	at2, err2 := s.put(nil)
	if err := errors.Join(err, err2, s.seal()); err != nil {
		t.Fatal(err)
	}
	if b, err := s.get([]byte("> "), at, 5); err != nil || string(b) != "> hello" {
		t.Errorf("%q: %v", b, err)
	}
	if b, err := s.get(nil, at2, 0); err != nil || len(b) != 0 {
		t.Errorf("%q: %v", b, err)
	}
	for i := range 9 {
		if _, err := f.WriteAt([]byte{0xff}, int64(i)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.get(nil, at, 5); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	if err := f.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if _, err := s.get(nil, at, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
}

func FuzzPartition(f *testing.F) {
	var in bytes.Buffer
	w := NewWriter(&in)
	x := Index{Rows: 2, Note: []byte("n"), Columns: [][]Run{{{Rows: 1, Raw: 1, Size: 1, Early: true}, {Rows: 1, Raw: 1, Size: 1}}}}
	if err := errors.Join(w.Write(IndexKey(0, 0), x.Append(nil)), w.Write(EarlyKey(0, 0, 0), []byte("a")),
		w.Write(ByColumn.RunKey(0, 0, 1), []byte("b")), w.Flush()); err != nil {
		f.Fatal(err)
	}
	f.Add(in.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ReadPartition(NewReader(bytes.NewReader(b)), Options{Columns: 1, End: 1, Temp: tempIn(t.TempDir())})
		if err != nil {
			return
		}
		defer p.Close()
		sc := p.Scan(0, 0, tuple.RowOf(1, 0))
		for sc.Next() {
			if v, err := sc.Value(nil); err == nil && len(v) != int(sc.Tuple().Size) {
				t.Errorf("%d bytes of %d", len(v), sc.Tuple().Size)
			}
		}
		_ = p.End() // an error or none
	})
}
