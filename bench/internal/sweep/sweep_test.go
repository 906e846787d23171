package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"

	"github.com/google/go-cmp/cmp"
)

// TestSweep checks that settings take turns, that the first round isn't counted, and
// what a failing one says.
func TestSweep(t *testing.T) {
	var order string
	at := func(name string) setting {
		turn := 0.
		return setting{at: name, x: 2, turn: func(context.Context) (report.Reading, error) {
			order += name
			turn++
			return report.Reading{"s": 100 / turn, "only at " + name: 1}, nil
		}}
	}
	w := report.Sweep{Name: "w", What: "Sizes", Setting: "size", Measures: []string{"s", "only at b", "never"}}
	three := func(float64) int { return 3 }
	if err := runSettings(context.Background(), &w, three, []setting{at("a"), at("b")}); err != nil {
		t.Fatal(err)
	}
	if order != "abababab" {
		t.Errorf("order of turns %s", order)
	}
	s := report.ValueSpread{Median: 100. / 3, Least: 25, Most: 50}
	want := []report.Point{
		{At: "a", X: 2, Rounds: 3, Values: map[string]report.ValueSpread{"s": s}},
		{At: "b", X: 2, Rounds: 3, Values: map[string]report.ValueSpread{"s": s, "only at b": {Median: 1, Least: 1, Most: 1}}},
	}
	if diff := cmp.Diff(want, w.Points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	var text strings.Builder
	w.Print(&text)
	wantText := "Sizes:\n\n| size | s | only at b | never | rounds |\n| --- | ---: | ---: | ---: | ---: |\n" +
		"| a | 33.3 (25–50) | | | 3 |\n| b | 33.3 (25–50) | 1 | | 3 |\n\n"
	if diff := cmp.Diff(wantText, text.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	fails := setting{at: "7", turn: func(context.Context) (report.Reading, error) { return nil, errors.New("no such luck") }}
	if err := runSettings(context.Background(), &w, three, []setting{fails}); err == nil || err.Error() != "bench: w at 7: no such luck" {
		t.Errorf("a failing turn: %v", err)
	}
}

func TestThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 26: "26", 1234.5: "1234", 123.45: "123", 12.345: "12.3", 1.2345: "1.23", 0.12345: "0.123", 0.012345: "0.0123", -1.5: "-1.50",
	} {
		if got := report.ThreeDigits(v); got != want {
			t.Errorf("%v is printed as %s, want %s", v, got, want)
		}
	}
}

// smallTable converts some rows of a flat table, and returns the Avro file's path and
// that of the Trevni file.
func smallTable(t *testing.T, rows int, flags ...string) (avro, trv string) {
	t.Helper()
	dir := t.TempDir()
	if err := data.WriteAvro(dir, data.Flat("small", rows, []data.Column{{Kind: data.Kinds[0], Name: "id", Percent: 100, NullFirst: false}, {Kind: data.Kinds[5], Name: "state", Percent: 50, NullFirst: true}}), "snappy"); err != nil {
		t.Fatal(err)
	}
	avro, trv = filepath.Join(dir, "small-snappy.avro"), filepath.Join(dir, "small.trv")
	convertSmall(t, avro, trv, flags...)
	return avro, trv
}

func TestProbe(t *testing.T) {
	const rows = 20_000
	_, trv := smallTable(t, rows)
	p, err := probe(trv, "id", "scan,column,row")
	if err != nil {
		t.Fatal(err)
	}
	if p.Column.Values != rows || p.Scan.Values <= rows || p.Scan.Values >= 2*rows || p.Row.Values != 1 {
		t.Errorf("%d values in the column, %d in all, %d rows; want %d, half as many again, 1", p.Column.Values, p.Scan.Values, p.Row.Values, rows)
	}
	if p.Column.Bytes >= p.Scan.Bytes || p.Scan.Bytes > p.Anatomy.Bytes || p.Row.Bytes >= p.Scan.Bytes {
		t.Errorf("read %d bytes of the column, %d of all, %d of a row, of a file of %d", p.Column.Bytes, p.Scan.Bytes, p.Row.Bytes, p.Anatomy.Bytes)
	}
	if a := p.Column; a.Seeks < 1 || a.Seeks > a.Reads || a.Seconds <= 0 {
		t.Errorf("the column: %+v", a)
	}
	if a := p.Anatomy; a.Files != 1 || a.Data == 0 || a.Raw < a.Data || a.overhead() == 0 || a.Checksums%sumBytes != 0 {
		t.Errorf("anatomy %+v", a)
	}
	q, err := probe(trv, "", "column")
	if err != nil || q.Column.Bytes != p.Column.Bytes { // of two columns id is the larger, and the upper median
		t.Errorf("the column of the median size: %+v, %v, want the %d bytes of id", q, err, p.Column.Bytes)
	}
	for _, test := range []struct{ path, column, parts, want string }{
		{trv, "none", "column", `no column "none"`},
		{trv, "", "nothing", `no part "nothing"`},
		{t.TempDir(), "", "none", "no files of a table"},
	} {
		if _, err := probe(test.path, test.column, test.parts); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("probe of column %q, parts %q: error %v, want %s", test.column, test.parts, err, test.want)
		}
	}
}

// TestCountedReads: a seek is a read that doesn't go on where the last one ended.
func TestCountedReads(t *testing.T) {
	var a access
	c := &countedReads{f: strings.NewReader("0123456789"), a: &a, next: -1}
	buf := make([]byte, 3)
	for _, off := range []int64{0, 3, 0, 6} {
		if _, err := c.ReadAt(buf, off); err != nil {
			t.Fatal(err)
		}
	}
	if a.Reads != 4 || a.Seeks != 3 || a.Bytes != 12 {
		t.Errorf("%+v, want 4 reads, 3 seeks, 12 bytes", a)
	}
}
