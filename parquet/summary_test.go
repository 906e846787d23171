package parquet

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

func TestSummary(t *testing.T) {
	o := WriterOptions{CreatedBy: "convert version 1.2.3 (build 0)", KeyValues: []KeyValue{{"k", "v"}}}
	group := [][]Values{{ints1(1, 2), ints1(3)}, {ints1(4, 5, 6)}}
	for _, options := range []WriterOptions{{}, o} {
		for _, groups := range []int{0, 1, 3, 20} {
			s := NewSummary(two(t), options)
			var want []rowGroup
			var paths []string
			var footers [][]byte
			for _, path := range []string{"part-00000.parquet", "k=v/part-00001.parquet"} {
				var all [][][]Values
				for range groups {
					all = append(all, group)
				}
				file := build(t, two(t), EncoderOptions{}, options, all...)
				footer, err := Footer(bytes.NewReader(file), int64(len(file)))
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Add(footer); err != nil {
					t.Fatal(err)
				}
				paths, footers = append(paths, path), append(footers, footer)
				for _, g := range footerOf(t, file).RowGroups {
					g.Ordinal = thrift.Null[int16]{}
					for c := range g.Columns {
						g.Columns[c].FilePath = path
					}
					want = append(want, g)
				}
			}
			var all, common bytes.Buffer
			file := func(i int) (string, []byte, error) { return paths[i], footers[i], nil }
			if err := s.WriteMetadata(&all, file); err != nil {
				t.Fatal(err)
			}
			if err := s.WriteCommonMetadata(&common); err != nil {
				t.Fatal(err)
			}
			empty := footerOf(t, build(t, two(t), EncoderOptions{}, options))
			if got := footerOf(t, common.Bytes()); !reflect.DeepEqual(got, empty) {
				t.Errorf("_common_metadata is %+v, want %+v", got, empty)
			}
			empty.NumRows = int64(6 * groups)
			if want != nil {
				empty.RowGroups = want
			}
			if got := footerOf(t, all.Bytes()); !reflect.DeepEqual(got, empty) {
				t.Errorf("_metadata is %+v, want %+v", got, empty)
			}
		}
	}
}

func TestSummaryRefuses(t *testing.T) {
	file := build(t, two(t), EncoderOptions{}, WriterOptions{})
	s := NewSummary(one(t, Column("", Required, Int32, Logical{})), WriterOptions{})
	footer, err := Footer(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(footer); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
	if err := s.Add(footer[:len(footer)-2]); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	s = NewSummary(two(t), WriterOptions{})
	if err := s.Add(footer); err != nil {
		t.Fatal(err)
	}
	other := build(t, two(t), EncoderOptions{}, WriterOptions{}, [][]Values{{ints1(1)}, {ints1(2)}})
	if footer, err = Footer(bytes.NewReader(other), int64(len(other))); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteMetadata(io.Discard, func(int) (string, []byte, error) { return "part", footer, nil }); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Error(err)
	}
	large := bytes.Clone(file)
	large[len(large)-5] = 1
	for i, bad := range [][]byte{nil, file[:11], file[:len(file)-1], large} {
		if _, err := Footer(bytes.NewReader(bad), int64(len(bad))); err == nil {
			t.Errorf("%d: has a footer", i)
		}
	}
}

// A footer may be anyone's: one that would make the library recurse without end, or allocate by
// what it declares, is an error.
func TestSummaryOfHostileFooters(t *testing.T) {
	s := NewSummary(two(t), WriterOptions{})
	deep := bytes.Repeat([]byte{0x1c}, 32<<20)                           // a structure in a structure, ...
	long := []byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00} // a list of 2^31 structures
	for name, footer := range map[string][]byte{"deep": deep, "long": long, "empty": nil} {
		if err := s.Add(footer); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
