package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs"
	"avro2trevni/trevni"
)

// searched is a table with a column of each type that can be searched, sorted by key,
// at.name and at.score.
const searched = `{"type":"record","name":"searched","namespace":"n","fields":[
	{"name":"key","type":"long"},
	{"name":"at","type":{"type":"record","name":"At","fields":[{"name":"name","type":"string"},{"name":"score","type":"double"},{"name":"raw","type":"bytes"}]}},
	{"name":"ok","type":"boolean"},{"name":"small","type":"int"},{"name":"f","type":"float"},
	{"name":"suit","type":{"type":"enum","name":"Suit","symbols":["SPADES","HEARTS","CLUBS"]}},
	{"name":"id","type":{"type":"fixed","name":"Id","size":2}},
	{"name":"maybe","type":["null","int"]},{"name":"tags","type":{"type":"array","items":"string"}},
	{"name":"u","type":["int","string"]},{"name":"none","type":"null"},
	{"name":"list","type":{"type":"array","items":{"type":"record","name":"In","fields":[{"name":"x","type":"int"}]}}}]}`

// rowsSearched is the table's rows, and how many there are.
const rowsSearched = 6000

func searchedRow(r *rand.Rand, i int) map[string]any {
	row := map[string]any{
		"key": int64(i / 7), "ok": i%3 == 0, "small": i%50 - 25, "f": float32(i%9) / 10, "none": nil,
		"at":   map[string]any{"name": fmt.Sprintf("%06d", i/500), "score": float64(i/11-100) / 4, "raw": []byte{byte(i), '"', 0}},
		"suit": []string{"SPADES", "HEARTS", "CLUBS"}[r.IntN(3)], "id": []byte{byte(i / 256), byte(i)},
		"maybe": nil, "tags": []any{}, "u": goavro.Union("int", i%4), "list": []any{map[string]any{"x": i}},
	}
	if r.IntN(3) > 0 {
		row["maybe"] = goavro.Union("int", r.IntN(5))
	}
	for range r.IntN(4) {
		row["tags"] = append(row["tags"].([]any), fmt.Sprint("t", r.IntN(30)))
	}
	if i%5 == 0 {
		row["u"] = goavro.Union("string", "true")
	}
	return row
}

// makeSearched converts the table three times: into one file with first values, one
// without, and a folder of several with them.
func makeSearched(t *testing.T) (indexed, plain, folder string) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: searched})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < rowsSearched; {
		var rows []any
		for ; len(rows) < 100; i++ {
			rows = append(rows, searchedRow(r, i))
		}
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	indexed, plain, folder = filepath.Join(dir, "indexed.trv"), filepath.Join(dir, "plain.trv"), filepath.Join(dir, "folder")
	for _, o := range []jobs.Options{
		{Output: indexed, Index: []string{"key", "at.name", "at.score"}}, {Output: plain},
		{Output: folder, FileSize: 60_000, SplitSize: 20_000, Index: []string{"key", "at.name", "at.score"}},
	} {
		o.Inputs, o.BlockSize = []string{in}, 1<<10
		if _, err := jobs.Convert(t.Context(), &o); err != nil {
			t.Fatal(err)
		}
	}
	return indexed, plain, folder
}

// holds reports whether a clause holds for a row that cat --avro-json printed: for one of the
// values that the field leads to.
func holds(t *testing.T, row map[string]any, column string, op, value string) bool {
	t.Helper()
	var v any = row
	field, branch, _ := strings.Cut(strings.ReplaceAll(column, "#", "."), "/")
	for _, name := range strings.Split(field, ".") {
		if list, ok := v.([]any); ok { // of one element
			v = list[0]
		}
		v = v.(map[string]any)[name]
	}
	if list, ok := v.([]any); ok && !strings.HasPrefix(op, "is") {
		return slices.ContainsFunc(list, func(v any) bool { return compares(v, op, value) })
	}
	if union, ok := v.(map[string]any); ok {
		for name, inner := range union {
			return (branch == "" || name == branch) && compares(inner, op, value)
		}
	}
	return compares(v, op, value)
}

// compares does for one value what holds does.
func compares(v any, op, value string) bool {
	switch {
	case op == "is null" || op == "is not null":
		return (v == nil) == (op == "is null")
	case v == nil:
		return false
	}
	text := fmt.Sprint(v)
	order := strings.Compare(text, value)
	if _, ok := v.(json.Number); ok {
		var x, y float64
		_, err := fmt.Sscan(text, &x)
		_, err2 := fmt.Sscan(value, &y)
		if err != nil || err2 != nil {
			return false
		}
		order = cmp.Compare(x, y)
	} else if suits := []string{"SPADES", "HEARTS", "CLUBS"}; slices.Contains(suits, text) {
		order = cmp.Compare(slices.Index(suits, text), slices.Index(suits, value))
	}
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// parted matches a clause's column, comparison and value.
var parted = regexp.MustCompile(`^(.*?)\s*(is null|is not null|!=|<=|>=|=|<|>)\s*(.*)$`)

// Whatever is looked for, with first values or without, in one file or several, is
// what a look at all rows finds.
func TestWhereFindsWhatIsThere(t *testing.T) {
	indexed, plain, folder := makeSearched(t)
	code, all, _ := trevniRun("cat", "--avro-json", plain)
	lines := strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
	if code != 0 || len(lines) != rowsSearched {
		t.Fatalf("exit %d, %d rows", code, len(lines))
	}
	lines[len(lines)-1] += "\n"
	rows := make([]map[string]any, len(lines))
	for i, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, where := range [][]string{
		{"key=0"}, {"key=400"}, {"key=857"}, {"key=858"}, {"key=-1"}, {"at.name=000003"}, {"at#name=000011"}, {"at.name=0"}, {"at.name="},
		{"at.score=0.0"}, {"at.score=-25.0"}, {"at.score=0.3"}, {"at.score=1000.0"}, {"ok=true"}, {"ok=false"}, {"small=-25"}, {"small=25"},
		{"f=0.1"}, {"f=0.7"}, {"suit=CLUBS"}, {"maybe=3"}, {"maybe/int=0"}, {"maybe=7"}, {"tags=t7"}, {"tags=t"}, {"u/int=1"}, {"u/string=true"},
		{"key=400", "ok=true"}, {"suit=HEARTS", "maybe=1", "tags=t3"}, {"key=400", "at.score=50.0"}, {"at.name=000003", "key=250"},
		{"at.name=000003", "key=1"}, {"u/string=true", "ok=true"}, {"ok=true", "ok=false"},
		{"key<3"}, {"key <= 3"}, {"key > 850"}, {"key>=850"}, {"key != 5"}, {"key >= 100", "key < 103"}, {"key > 400.5", "key < 401.5"},
		{"at.name < 000003"}, {"at.name >= 000009", "key != 700"}, {"at.score > 100"}, {"at.score <= -24.5"}, {"f >= 0.5"}, {"small < -20"},
		{"suit > SPADES", "key < 20"}, {"suit <= HEARTS", "key < 20"}, {"ok < true", "key=9"}, {"ok != false", "key=9"},
		{"maybe is null", "key < 50"}, {"maybe is not null", "key < 50"}, {"maybe > 2"}, {"maybe/int<1"}, {"maybe != 3", "key > 850"},
		{"tags > t8"}, {"tags != t7", "key < 30"}, {"none is null", "key=1"}, {"none is not null"}, {"u > 2"}, {"u/int >= 3"},
		{"list.x < 30"}, {"list.x=1234"}, {"key is not null", "key = 3"}, {"key is null"},
	} {
		for _, part := range []struct{ from, to int }{{0, rowsSearched}, {1777, 2801}, {5999, 6000}} {
			args := []string{"cat", "--avro-json", "--rows", fmt.Sprintf("%d:%d", part.from, part.to)}
			var want strings.Builder
			for i := part.from; i < part.to; i++ {
				ok := true
				for _, w := range where {
					m := parted.FindStringSubmatch(w)
					ok = ok && holds(t, rows[i], m[1], m[2], m[3])
				}
				if ok {
					want.WriteString(lines[i])
				}
			}
			for _, w := range where {
				args = append(args, "--where", w)
			}
			for _, input := range []string{indexed, plain, folder} {
				code, out, stderr := trevniRun(append(args, input)...)
				if code != 0 || out != want.String() || stderr != "" {
					t.Fatalf("%v of %s: exit %d, %q: got\n%swant\n%s", args, filepath.Base(input), code, stderr, out, want.String())
				}
			}
		}
	}
}

// buildDoubles writes a file of doubles, in blocks of two, and returns its name.
func buildDoubles(t *testing.T, firsts bool, values ...float64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.trv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := &trevni.Header{Columns: []trevni.Column{{Name: "d", Type: trevni.Double, FirstValues: firsts}}, Meta: trevni.Metadata{
		{Key: "avro.schema", Value: []byte(`{"type":"record","name":"r","fields":[{"name":"d","type":"double"}]}`)}}}
	b, err := trevni.NewWriter(f, h, &trevni.WriterOptions{BlockSize: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		if err := errors.Join(b.Column(0).Row(), b.Column(0).Double(v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// NaN and the zeros stand where Java's order has them, and are found there.
func TestWhereOfFloats(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, firsts := range []bool{true, false} {
		name := buildDoubles(t, firsts, -inf, -1, -1, zero, zero, zero, 0, 0, 0, 1, inf, nan, nan, nan)
		for value, want := range map[string]int{"NaN": 3, "0": 6, "-0": 6, "0.0": 6, "-1": 2, "Infinity": 1, "-Inf": 1, "1e0": 1, "2": 0} {
			if code, out, stderr := trevniRun("cat", "--where", "d="+value, name); code != 0 || strings.Count(out, "\n") != want {
				t.Errorf("first values %t, %s: exit %d, %d rows, want %d: %s", firsts, value, code, strings.Count(out, "\n"), want, stderr)
			}
		}
	}
}

// First values that do not ascend are no index.
func TestWhereOfAnUnsortedColumn(t *testing.T) {
	name := buildDoubles(t, true, 9, 1, 5, 7, 2, 5, 8, 3, 5, 1, 1, 5)
	if code, out, stderr := trevniRun("cat", "--where", "d=5", name); code != 0 || strings.Count(out, "\n") != 4 {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}

// In a column with first values few bytes are read: header, descriptors, and of each
// column that is printed a block or two.
func TestWhereReadsFewBlocks(t *testing.T) {
	indexed, plain, _ := makeSearched(t)
	read := func(name, where string) (bytes, size int64) {
		c := &command{stdout: new(strings.Builder), stderr: new(strings.Builder)}
		sel := everything()
		sel.columns = []string{"key", "at.raw"}
		if err := (whereFlag{&sel}).Set(where); err != nil {
			t.Fatal(err)
		}
		err := c.readRows(context.Background(), []string{name}, sel, sink{rows: func(f *file, _ int64, _ []byte, _ int) error {
			bytes, size = f.src.bytes.Load(), f.size
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return bytes, size
	}
	few, size := read(indexed, "key=400")
	most, _ := read(plain, "key=400")
	f, err := trevni.OpenFile(indexed, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	allowed := f.HeaderSize()
	for i, c := range f.Header().Columns {
		if c.Name != "key" && c.Name != "at#raw" {
			continue
		}
		offsets, err := f.BlockOffsets(i)
		if err != nil {
			t.Fatal(err)
		}
		if len(offsets) < 10 {
			t.Fatalf("column %q has only %d blocks", c.Name, len(offsets))
		}
		most := int64(0)
		for k := range offsets[1:] {
			most = max(most, offsets[k+1]-offsets[k])
		}
		allowed += offsets[0] - f.ColumnOffset(i) + 2*most // descriptors, and two blocks
	}
	if few > allowed || most <= few {
		t.Errorf("%d bytes read of %d, %d allowed; without first values %d", few, size, allowed, most)
	}
}

func TestWhereErrors(t *testing.T) {
	_, plain, _ := makeSearched(t)
	for where, want := range map[string]string{
		"status=1":       `where: column "status": no such column; there is no "status", there are key, at, ok, `,
		"at.scor=1":      `where: column "at.scor": no such column; did you mean "at.score"?`,
		"at=1":           `where: column "at": is a record: name one of its fields, name, score, raw`,
		"key.x=1":        `where: column "key.x": no such column: "key" has no fields`,
		"u/long=1":       `where: column "u/long": has no values of type "long"`,
		"key":            `not a condition like "state = AK", "latitude >= 60" or "name is null"`,
		"=1":             "not a condition",
		"key is nothing": "not a condition",
		"key ! 3":        "not a condition",
		"key='3":         "the quotes around the value are not closed",
		"key < null":     `use "is null"`,
		"key=x":          `where: column "key": value "x" is not a number`,
		"key=1.5":        `column "key": value "1.5" is not a whole number`,
		"key>NaN":        `column "key": value "NaN" is not a whole number`,
		"key>1e300":      `column "key": value "1e300" is out of range`,
		"f=1e300":        `column "f": value "1e300" is out of range`,
		"ok=1":           `column "ok": value "1" is not true or false`,
		"suit=SPADE":     `column "suit": value "SPADE" is not a symbol of enum n.Suit: did you mean "SPADES"?`,
		"id=a":           `column "id": value "a" has 1 bytes, fixed n.Id has 2`,
		"at.raw=\u0100":  `is not of characters U+0000 to U+00FF`,
		`at.raw=a"b`:     `is not the inside of a JSON string`,
		"none=1":         `column "none": has only nulls, which "is null" finds`,
		"list=1":         `column "list": is a record: name one of its fields, x`,
		"list.y=1":       `column "list.y": no such column`,
	} {
		code, out, stderr := trevniRun("cat", "--where", where, plain)
		if code != exit.StatusUsage || out != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, want %q", where, code, stderr, want)
		}
	}
	for _, where := range []string{`at.raw=\u0007\"\u0000`, `id=\u0001\u0000`} {
		if code, out, stderr := trevniRun("cat", "--where", where, plain); code != 0 || out == "" {
			t.Errorf("%s: exit %d, %q, %s", where, code, out, stderr)
		}
	}
}
