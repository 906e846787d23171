package parquet

import (
	"bytes"
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
				if err := s.Add(path, footer); err != nil {
					t.Fatal(err)
				}
				for _, g := range footerOf(t, file).RowGroups {
					g.Ordinal = thrift.Null[int16]{}
					for c := range g.Columns {
						g.Columns[c].FilePath = path
					}
					want = append(want, g)
				}
			}
			var all, common bytes.Buffer
			if err := s.WriteMetadata(&all); err != nil {
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
	if err := s.Add("part", footer); err == nil || !strings.Contains(err.Error(), "part has another schema") {
		t.Error(err)
	}
	if err := s.Add("part", footer[:len(footer)-2]); err == nil || !strings.Contains(err.Error(), "part: footer") {
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
