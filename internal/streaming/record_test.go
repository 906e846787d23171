package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"avro2trevni/internal/tuple"
)

// Keys sort as bytes as their fields do, the early region first, in it a split's index
// before its runs; and they come back as they went.
func TestKeysSort(t *testing.T) {
	ordered := []Key{
		IndexKey(7, 0), EarlyKey(7, 0, 0), EarlyKey(7, 3, 0), EarlyKey(7, 1, 5),
		IndexKey(7, 1), EarlyKey(7, 0, tuple.RowOf(1, 0)), EarlyKey(7, 0, tuple.RowOf(1, 1<<33)),
		ByColumn.RunKey(7, 0, 0), ByColumn.RunKey(7, 0, 9), ByColumn.RunKey(7, 0, tuple.RowOf(1, 0)),
		ByColumn.RunKey(7, 1, 0), ByColumn.RunKey(7, 255, 0), ByColumn.RunKey(7, 256, 0), ByColumn.RunKey(7, 1<<31, 0),
		IndexKey(8, 0),
		BySplit.RunKey(9, 0, 0), BySplit.RunKey(9, 0, 9), BySplit.RunKey(9, 1, 0), BySplit.RunKey(9, 256, 3), BySplit.RunKey(9, MaxColumns-1, 1<<39),
		BySplit.RunKey(9, 0, tuple.RowOf(1, 0)), BySplit.RunKey(9, 2, tuple.RowOf(1, 5)), BySplit.RunKey(9, 0, tuple.RowOf(tuple.MaxSplit, 0)),
	}
	for i, k := range ordered {
		b := k.append(nil)
		if back, err := parseKey(b); err != nil || back != k || len(b) != k.size() {
			t.Errorf("key %d: %+v came back as %+v: %v", i, k, back, err)
		}
		if i > 0 && bytes.Compare(ordered[i-1].append(nil), b) >= 0 {
			t.Errorf("key %d sorts before the one it is to follow", i)
		}
	}
}

func TestRecords(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	sizes := []int{0, 1, 15, 16, 17, 255, 256, 65_535, bufferBytes - 1, bufferBytes, bufferBytes + 1, 3 * bufferBytes}
	r := rand.New(rand.NewPCG(1, 2))
	var want [][]byte
	for i, n := range sizes {
		b := make([]byte, n)
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		want = append(want, b)
		if err := w.Write(ByColumn.RunKey(1, 2, tuple.Row(i)), b[:n/2], b[n/2:]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	in := NewReader(iotest.HalfReader(bytes.NewReader(out.Bytes())))
	for i := range want {
		k, size, err := in.Next()
		if err != nil || k.Minor != uint64(i) || size != len(want[i]) {
			t.Fatalf("record %d: %+v of %d bytes: %v", i, k, size, err)
		}
		got, err := in.Value([]byte("x"))
		if err != nil || string(got) != "x"+string(want[i]) {
			t.Fatalf("record %d: another value: %v", i, err)
		}
	}
	if _, _, err := in.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// Records that are cut anywhere, or hostile, are errors.
func TestBadRecords(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	if err := errors.Join(w.Write(IndexKey(1, 2), []byte("value")), w.Flush()); err != nil {
		t.Fatal(err)
	}
	whole := out.Bytes()
	read := func(b []byte) error {
		r := NewReader(bytes.NewReader(b))
		if _, _, err := r.Next(); err != nil {
			return err
		}
		_, err := r.Value(nil)
		return err
	}
	for n := 1; n < len(whole); n++ {
		if err := read(whole[:n]); err == nil || err == io.EOF {
			t.Errorf("cut at %d of %d: %v", n, len(whole), err)
		}
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"long key":     {[]byte{0, 0, 1, 0}, "a key of 256 bytes"},
		"short key":    {[]byte{0, 0, 0, 2, 1, 1}, "a key of 2 bytes"},
		"key length":   {append([]byte{0, 0, 0, 16}, make([]byte, 16)...), "a key of 16 bytes in region 0"},
		"huge length":  {[]byte{255, 255, 255, 255}, "a length of"},
		"declared":     {append(slices.Clone(whole[:24]), 0x7f, 255, 255, 255, 'v'), "unexpected EOF"},
		"value length": {append(slices.Clone(whole[:24]), 0xff, 255, 255, 255), "a length of"},
	} {
		if err := read(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	r := NewReader(bytes.NewReader(slices.Concat(whole, whole)))
	_, _, err := r.Next()
	if _, _, again := r.Next(); err != nil || again == nil || !strings.Contains(again.Error(), "were not read") {
		t.Errorf("a value passed over: %v, %v", err, again)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe broken") }

func TestWriteErrors(t *testing.T) {
	w := NewWriter(failing{})
	if err := w.Write(IndexKey(0, 0), make([]byte, 2*bufferBytes)); err == nil || !strings.Contains(err.Error(), "pipe broken") {
		t.Errorf("write: %v", err)
	}
	if err := w.Flush(); err == nil || !strings.Contains(err.Error(), "pipe broken") {
		t.Errorf("flush: %v", err)
	}
}

func TestIndex(t *testing.T) {
	x := Index{Rows: 10, Bytes: 1 << 40, Note: []byte("note"), Columns: [][]Run{
		{{Rows: 4, Values: math.MaxUint32, Raw: 1, Size: math.MaxInt32, Early: true}, {Rows: 6}},
		{{Rows: 10, Values: 3, Raw: math.MaxUint32, Size: 9, Early: true, Note: []byte("run's")}},
	}}
	b := x.Append(nil)
	var got Index
	got.Columns = make([][]Run, 2)
	back, err := walkIndex(b, 2, func(c int, r Run) { got.Columns[c] = append(got.Columns[c], r) })
	if err != nil || back.Rows != x.Rows || back.Bytes != x.Bytes || string(back.Note) != "note" ||
		fmt.Sprint(got.Columns) != fmt.Sprint(x.Columns) {
		t.Errorf("%+v %+v: %v", back, got, err)
	}
	for n := range b {
		if _, err := walkIndex(b[:n], 2, func(int, Run) {}); !errors.Is(err, ErrRecords) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if _, err := walkIndex(append(b, 0), 2, func(int, Run) {}); !errors.Is(err, ErrRecords) {
		t.Errorf("a byte too many: %v", err)
	}
	if _, err := walkIndex(b, 3, func(int, Run) {}); err == nil || !strings.Contains(err.Error(), "2 columns, expected 3") {
		t.Errorf("columns: %v", err)
	}
	x.Columns[1][0].Rows = 9
	if _, err := walkIndex(x.Append(nil), 2, func(int, Run) {}); err == nil || !strings.Contains(err.Error(), "column 1 of 9") {
		t.Errorf("rows: %v", err)
	}
}

// A run without a note takes no byte for it.
func TestIndexOfARun(t *testing.T) {
	for note, want := range map[string]string{
		"":   "0a 14 01 00 01 0a 0b 0c 1b",
		"ab": "0a 14 01 00 01 0a 0b 0c 9b 80 80 80 10 02 61 62",
	} {
		x := Index{Rows: 10, Bytes: 20, Columns: make([][]Run, 1)}
		x.Add(&tuple.Tuple{Rows: 10, Values: 11, Raw: 12, Size: 13, Note: []byte(note)}, true)
		if got := fmt.Sprintf("% x", x.Append(nil)); got != want {
			t.Errorf("note %q: %s, want %s", note, got, want)
		}
	}
}

func TestReporter(t *testing.T) {
	var out strings.Builder
	r := NewReporter(&out)
	r.Count("rows", 5)
	r.Count("none", 0)
	r.Status("at %d\nof %d", 1, 2)
	if want := "reporter:counter:avro2trevni,rows,5\nreporter:status:at 1 of 2\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}
