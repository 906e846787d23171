package data

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/linkedin/goavro/v2"
)

// line is the first that dbgen makes.
const line = "1|155190|7706|1|17|21168.23|0.04|0.02|N|O|1996-03-13|1996-02-12|1996-03-22|DELIVER IN PERSON|TRUCK|egular courts above the|"

func TestLineitemRow(t *testing.T) {
	day := func(m time.Month, d int) time.Time { return time.Date(1996, m, d, 0, 0, 0, 0, time.UTC) }
	want := map[string]any{
		"l_orderkey": int64(1), "l_partkey": int64(155190), "l_suppkey": int64(7706), "l_linenumber": int32(1),
		"l_quantity": 17.0, "l_extendedprice": 21168.23, "l_discount": 0.04, "l_tax": 0.02,
		"l_returnflag": "N", "l_linestatus": "O",
		"l_shipdate": day(3, 13), "l_commitdate": day(2, 12), "l_receiptdate": day(3, 22),
		"l_shipinstruct": "DELIVER IN PERSON", "l_shipmode": "TRUCK", "l_comment": "egular courts above the",
	}
	var got any
	if err := parseLineitem(strings.NewReader(line+"\n"), func(row any) error { got = row; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	codec, err := goavro.NewCodec(LineitemSchema())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := codec.BinaryFromNative(nil, got); err != nil {
		t.Errorf("the row does not fit the schema: %v", err)
	}
}

func TestLineitemRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"too few fields": strings.Replace(line, "|TRUCK", "", 1),
		"no number":      strings.Replace(line, "155190", "x", 1),
		"no date":        strings.Replace(line, "1996-03-13", "1996-13-13", 1),
		"int too large":  strings.Replace(line, "7706|1|", "7706|4294967296|", 1),
	} {
		if err := parseLineitem(strings.NewReader(text), func(any) error { return nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTables writes the start of each made table twice, in both codecs: the rows
// must fit the schema and be the same every time, in whole files of several blocks.
func TestTables(t *testing.T) {
	for _, made := range []Table{Wide(), Nested(), Nullable(), Sparse(), Events()} {
		t.Run(made.Name, func(t *testing.T) {
			first := rowsWritten(t, Few(made, 1500), "snappy")
			again := rowsWritten(t, Few(made, 1500), "deflate")
			if len(first) != 1500 {
				t.Fatalf("%d rows, want 1500", len(first))
			}
			if diff := cmp.Diff(first[1499], again[1499]); diff != "" {
				t.Errorf("last row (-first +again):\n%s", diff)
			}
		})
	}
}

// rowsWritten writes a table and reads it back.
func rowsWritten(t *testing.T, made Table, codec string) []any {
	t.Helper()
	dir := t.TempDir()
	if err := WriteAvro(dir, made, codec); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/%s-%s.avro", dir, made.Name, codec)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := goavro.NewOCFReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []any
	for r.Scan() {
		row, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestEventsLeaveTheFastPaths checks that the values of the event table are those that it is
// made for: numbers and lengths of the sizes that it says, and nulls.
func TestEventsLeaveTheFastPaths(t *testing.T) {
	least := map[string]int{"id": 9, "at": 5, "received": 9, "url": 2 + 64, "payload": 2 + 64, "digest": 32}
	codec, err := goavro.NewCodec(EventSchema())
	if err != nil {
		t.Fatal(err)
	}
	nulls, longActions, rows := 0, 0, 0
	err = Few(Events(), 2000).rows(func(row any) error {
		rows++
		for name, branch := range row.(map[string]any) {
			if branch == nil {
				nulls++
				continue
			}
			whole, err := codec.BinaryFromNative(nil, onlyField(name, branch))
			if err != nil {
				return err
			}
			size := len(whole) - len(eventFields) // a byte each says null, or that there is a value
			if name == "action" && size == 2 {
				longActions++
			}
			if name != "trace" && size < least[name] || name == "trace" && size < 6 { // of a hash, few are short
				t.Errorf("row %d: %s takes %d bytes, want %d at least", rows, name, size, least[name])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if nulls < rows/10 || longActions < rows/20 {
		t.Errorf("%d rows have %d nulls and %d symbols past the 64th", rows, nulls, longActions)
	}
}

// onlyField is a row that has a value in one field.
func onlyField(name string, branch any) any {
	row := map[string]any{}
	for _, f := range eventFields {
		row[f.name] = nil
	}
	row[name] = branch
	return row
}
