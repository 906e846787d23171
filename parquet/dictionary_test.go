package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestDictionary compares a dictionary with a map, over several chunks.
func TestDictionary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, width := range []int{0, 1, 3, 4, 8, 9, 20} {
		d := newDictionary(width, 1<<20, unbounded())
		for chunk := range 4 {
			few := []int{3, 2000, 100, 1}[chunk]
			known := map[string]int32{}
			for range 3 {
				var data []byte
				var values []string
				for range 1500 {
					v := binary.LittleEndian.AppendUint64(nil, uint64(r.IntN(few)*0x10001))
					v = bytes.Repeat(v, 3)
					if width == 0 {
						v = v[:r.IntN(len(v)+1)]
						data = binary.LittleEndian.AppendUint32(data, uint32(len(v)))
					} else {
						v = v[:width]
					}
					data = append(data, v...)
					values = append(values, string(v))
				}
				var offsets []uint32
				if width == 0 {
					offsets, _ = split(nil, data, len(values))
				}
				to := make([]int32, len(values))
				if !d.look(to, data, offsets) {
					t.Fatal("full")
				}
				for i, v := range values {
					if _, ok := known[v]; !ok {
						known[v] = int32(len(known))
					}
					if to[i] != known[v] || string(d.value(int(to[i]))) != v {
						t.Fatalf("width %d: %x is entry %d, %x; want %d", width, v, to[i], d.value(int(to[i])), known[v])
					}
				}
			}
			if d.n != len(known) {
				t.Fatalf("%d entries, want %d", d.n, len(known))
			}
			d.reset()
		}
	}
}

// TestDictionaryFull shows that a page that does not fit leaves what was there before it.
func TestDictionaryFull(t *testing.T) {
	var first, second []byte
	for i := range 10 {
		first = append(first, 1, 0, 0, 0, byte(i))
		second = append(second, 2, 0, 0, 0, byte(i), 1)
	}
	d := newDictionary(0, 10*5+9*6, unbounded())
	to := make([]int32, 10)
	offsets, _ := split(nil, first, 10)
	if !d.look(to, first, offsets) {
		t.Fatal("the first page does not fit")
	}
	offsets, _ = split(nil, second, 10)
	if d.look(to, second, offsets) {
		t.Fatal("the second page fits")
	}
	if !bytes.Equal(d.data, first) || d.n != 10 {
		t.Errorf("%d entries, %x", d.n, d.data)
	}
}

// unbounded returns room for the dictionaries of any number of columns.
func unbounded() *int {
	room := math.MaxInt
	return &room
}

// The dictionaries of all columns share their room. A column that finds none goes on without;
// what the chunks of one row group took, those of the next have again.
func TestDictionariesShareRoom(t *testing.T) {
	s, err := NewSchema(Group("m", Required, Column("a", Required, Int64, Logical{}), Column("b", Required, Int64, Logical{})))
	if err != nil {
		t.Fatal(err)
	}
	page := func(from int) Values {
		var data []byte
		for i := range 4000 {
			data = binary.LittleEndian.AppendUint64(data, uint64(from+i%100))
		}
		return Values{Rows: 4000, Data: data}
	}
	e, err := NewEncoder(s, EncoderOptions{AllDictionaries: 8 * 250})
	if err != nil {
		t.Fatal(err)
	}
	for group := range 3 {
		total := int64(0)
		for i, want := range []struct {
			column, from int
			encoding     Encoding
		}{{0, 0, RLEDictionary}, {1, 0, RLEDictionary}, {0, 50, RLEDictionary}, {1, 100, Plain}, {0, 20, RLEDictionary}, {1, 0, Plain}, {0, 200, Plain}} {
			_, m, err := e.Page(nil, want.column, page(want.from))
			if err != nil || m.Encoding != want.encoding {
				t.Fatalf("row group %d, page %d: %v, want %v: %v", group, i, m.Encoding, want.encoding, err)
			}
		}
		for column := range 2 {
			_, metas, err := e.EndChunk(nil, column)
			if err != nil || len(metas) != 1 {
				t.Fatalf("%d dictionaries: %v", len(metas), err)
			}
			total += int64(metas[0].Entries)
		}
		if total > 250 {
			t.Errorf("%d entries in all", total)
		}
	}
}
