package assembly

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// table is columns written as the Dremel paper has them: a line a leaf, with the greatest levels
// in brackets.
const (
	paperColumns = `
		DocId [0 0]: 10 r:0 d:0, 20 r:0 d:0
		Links.Backward [1 2]: NULL r:0 d:1, 10 r:0 d:2, 30 r:1 d:2
		Links.Forward [1 2]: 20 r:0 d:2, 40 r:1 d:2, 60 r:1 d:2, 80 r:0 d:2
		Name.Language.Code [2 2]: "en-us" r:0 d:2, "en" r:2 d:2, NULL r:1 d:1, "en-gb" r:1 d:2, NULL r:0 d:1
		Name.Language.Country [2 3]: "us" r:0 d:3, NULL r:2 d:2, NULL r:1 d:1, "gb" r:1 d:3, NULL r:0 d:1
		Name.Url [1 2]: "http://A" r:0 d:2, "http://B" r:1 d:2, NULL r:1 d:1, "http://C" r:0 d:2`
	addressColumns = `
		owner [0 0]: "Julien Le Dem" r:0 d:0, "A. Nonymous" r:0 d:0
		ownerPhoneNumbers [1 1]: "555 123 4567" r:0 d:1, "555 666 1337" r:1 d:1, NULL r:0 d:0
		contacts.name [1 1]: "Dmitriy Ryaboy" r:0 d:1, "Chris Aniszczyk" r:1 d:1, NULL r:0 d:0
		contacts.phoneNumber [1 2]: "555 987 6543" r:0 d:2, NULL r:1 d:1, NULL r:0 d:0`
	listColumns = `
		l [2 2]: "a" r:0 d:2, "b" r:2 d:2, "c" r:2 d:2, "d" r:1 d:2, "e" r:2 d:2, "f" r:2 d:2, "g" r:2 d:2,` +
		` "h" r:0 d:2, "i" r:1 d:2, "j" r:2 d:2, NULL r:0 d:0, NULL r:0 d:1, "k" r:1 d:2, NULL r:1 d:1`
)

// parse returns the leaves and entries of a table.
func parse(t testing.TB, lines string) (leaves []Leaf, entries [][]entry) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var l Leaf
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " [")
		levels, list, _ := strings.Cut(rest, "]: ")
		if _, err := fmt.Sscanf(levels, "%d %d", &l.MaxRep, &l.MaxDef); err != nil {
			t.Fatal(line, err)
		}
		l.Name = name
		var all []entry
		for _, text := range strings.Split(list, ", ") {
			var e entry
			var v string
			if _, err := fmt.Sscanf(strings.ReplaceAll(text[:strings.LastIndex(text, " r:")], " ", "_")+text[strings.LastIndex(text, " r:"):], "%s r:%d d:%d", &v, &e.rep, &e.def); err != nil {
				t.Fatal(text, err)
			}
			if n, err := strconv.Atoi(v); err == nil {
				l.Width, e.value = 8, le64(int64(n))
			} else if v != "NULL" {
				s, _ := strconv.Unquote(v)
				e.value = []byte(strings.ReplaceAll(s, "_", " "))
			}
			all = append(all, e)
		}
		leaves, entries = append(leaves, l), append(entries, all)
	}
	return leaves, entries
}

// The trees of the paper's document, and of others. What is left out is nil, and taken out.
func leaf(i, def int) *Node {
	return &Node{Kind: Simple, First: i, Last: i + 1, Def: def, Value: Bytes}
}

func number64(i, def int) *Node {
	return &Node{Kind: Simple, First: i, Last: i + 1, Def: def, Value: Long}
}

func optional(n *Node) *Node {
	return &Node{Kind: Union, First: n.First, Last: n.Last, Def: n.Def - 1, Fields: []*Node{{}, n}}
}

func list(rep int, n *Node) *Node {
	return &Node{Kind: List, First: n.First, Last: n.Last, Def: n.Def - 1, Rep: rep, Fields: []*Node{n}}
}

func group(first, last, def int, fields ...*Node) *Node {
	fields = slices.DeleteFunc(fields, func(f *Node) bool { return f == nil })
	return &Node{Kind: Record, First: first, Last: last, Def: def, Fields: fields}
}

func links(lists ...*Node) *Node { return optional(group(1, 3, 1, lists...)) }

func names(fields ...*Node) *Node { return list(1, group(3, 6, 1, fields...)) }

func languages(fields ...*Node) *Node { return list(2, group(3, 5, 2, fields...)) }

var (
	docID    = number64(0, 0)
	backward = list(1, number64(1, 2))
	forward  = list(1, number64(2, 2))
	code     = leaf(3, 2)
	country  = optional(leaf(4, 3))
	url      = optional(leaf(5, 2))
)

// The paper's document, with the columns of its Figure 3: all of it, and projections, as Figures
// 4 to 6 have them; and the documents of "Dremel made simple with Parquet".
func TestPaper(t *testing.T) {
	for _, c := range []struct {
		name, columns string
		tree          *Node
		leaves        []int
		want          string // rows, in words of its own: see spell
	}{
		{
			"Figure 4, all", paperColumns,
			group(0, 6, 0, docID, links(backward, forward), names(languages(code, country), url)),
			[]int{0, 1, 2, 3, 4, 5}, `
			10 some [ ] [3: 20 40 60 ] [3: [2: "en-us" some "us" "en" none ] some "http://A" [ ] some "http://B" [1: "en-gb" some "gb" ] none ]
			20 some [2: 10 30 ] [1: 80 ] [1: [ ] some "http://C" ]`,
		},
		{
			"Figure 5 and 6, DocId and Name.Language.Country", paperColumns,
			group(0, 6, 0, docID, names(languages(country))),
			[]int{0, 4}, `
			10 [3: [2: some "us" none ] [ ] [1: some "gb" ] ]
			20 [1: [ ] ]`,
		},
		{
			"DocId", paperColumns, group(0, 6, 0, docID), []int{0}, `
			10
			20`,
		},
		{
			"how many names", paperColumns, group(0, 6, 0, names()), []int{5}, `
			[3: ]
			[1: ]`,
		},
		{
			"whether there are links", paperColumns, group(0, 6, 0, links()), []int{1}, `
			some
			some`,
		},
		{
			"nothing of it", paperColumns, group(0, 6, 0), []int{0}, `

			`,
		},
		{
			"an address book", addressColumns,
			group(0, 4, 0, leaf(0, 0), list(1, leaf(1, 1)), list(1, group(2, 4, 1, leaf(2, 1), optional(leaf(3, 2))))),
			[]int{0, 1, 2, 3}, `
			"Julien Le Dem" [2: "555 123 4567" "555 666 1337" ] [2: "Dmitriy Ryaboy" some "555 987 6543" "Chris Aniszczyk" none ]
			"A. Nonymous" [ ] [ ]`,
		},
		{
			"its contacts' numbers", addressColumns,
			group(0, 4, 0, list(1, group(2, 4, 1, optional(leaf(3, 2))))),
			[]int{3}, `
			[2: some "555 987 6543" none ]
			[ ]`,
		},
		{
			"lists of lists", listColumns, group(0, 1, 0, list(1, list(2, leaf(0, 2)))),
			[]int{0}, `
			[2: [3: "a" "b" "c" ] [4: "d" "e" "f" "g" ] ]
			[2: [1: "h" ] [2: "i" "j" ] ]
			[ ]
			[3: [ ] [1: "k" ] [ ] ]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			leaves, entries := parse(t, c.columns)
			p, err := Compile(c.tree, leaves)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.Leaves(), c.leaves) {
				t.Errorf("leaves %v are read, not %v", p.Leaves(), c.leaves)
			}
			lines := strings.Split(c.want, "\n")[1:]
			for seed := range uint64(20) {
				of, _ := columns(rand.New(rand.NewPCG(seed, 0)), p, leaves, entries)
				rd, err := NewReader(p, of, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for i, line := range lines {
					got, n, err := rd.Read(nil, 1)
					if want := spell(t, line); err != nil || n != 1 || !bytes.Equal(got, want) {
						t.Fatalf("row %d: %v\n got %q\nwant %q", i, err, got, want)
					}
				}
				if _, _, err := rd.Read(nil, 1); err != io.EOF {
					t.Fatalf("after the last row: %v", err)
				}
			}
		})
	}
}

// spell returns the Avro of words: numbers, quoted strings, none and some for the branches of
// a union, [3: and ] for an array.
func spell(t testing.TB, line string) (row []byte) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			s, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatal(err)
			}
			line = line[len(s):]
			s, _ = strconv.Unquote(s)
			row = append(row, text(s)...)
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		line = rest
		switch word {
		case "none", "]":
			row = append(row, 0)
		case "some":
			row = append(row, 2)
		case "[":
		default:
			n, err := strconv.Atoi(strings.Trim(word, "[:"))
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, varint(int64(n))...)
		}
	}
	return row
}

// Columns that make no rows are an error, which says where.
func TestBadLevels(t *testing.T) {
	all := group(0, 6, 0, docID, links(backward, forward), names(languages(code, country), url))
	for _, c := range []struct {
		name, from, to string
		want           string
		rows           int // before it
	}{
		{"a repetition level too large", `"en" r:2`, `"en" r:3`, `column "Name.Language.Code": row 0: columns do not make rows: repetition level 3 where the row ends`, 0},
		{"a definition level too large", `NULL r:0 d:1, 10`, `NULL r:0 d:3, 10`, `column "Links.Backward": row 0: columns do not make rows: definition level 3 instead of 2`, 0},
		{"a definition level too small", `"us" r:0 d:3`, `NULL r:0 d:0`, `column "Name.Language.Country": row 0: columns do not make rows: definition level 0 instead of 3`, 0},
		{"more elements in one", `, 30 r:1 d:2`, `, 30 r:0 d:2`, `column "Links.Backward": row 2: columns do not make rows: column "DocId" ends before it`, 2},
		{"fewer elements in one", `"http://B" r:1 d:2, NULL r:1 d:1`, `"http://B" r:1 d:2`, `column "Name.Url": row 0: columns do not make rows: repetition level 0 instead of 1`, 0},
		{"fewer rows in one", `, 80 r:0 d:2`, ``, `column "Links.Forward": row 1: columns do not make rows: it ends here, and others do not`, 1},
		{"more rows in one", `20 r:0 d:0`, `20 r:0 d:0, 30 r:0 d:0`, `column "Links.Backward": row 2: columns do not make rows: it ends here, and others do not`, 2},
		{"fewer rows in the first", `, 20 r:0 d:0`, ``, `column "Links.Backward": row 1: columns do not make rows: column "DocId" ends before it`, 1},
		{"an element before the first row", `20 r:0 d:2, 40`, `20 r:1 d:2, 40`, `column "Links.Forward": row 0: columns do not make rows: repetition level 1 instead of 0`, 0},
		{"nothing wrong", ` `, ` `, ``, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			leaves, entries := parse(t, strings.Replace(paperColumns, c.from, c.to, 1))
			p, err := Compile(all, leaves)
			if err != nil {
				t.Fatal(err)
			}
			of, _ := columns(rand.New(rand.NewPCG(1, 1)), p, leaves, entries)
			rd, err := NewReader(p, of, Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, n, err := readAll(rd, 10)
			if n != c.rows || c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want || !errors.Is(err, ErrLevels)) {
				t.Errorf("%d rows, and %v\nwant %d, and %s", n, err, c.rows, c.want)
			}
		})
	}
}

// Values that are not where levels say, or none of their type, are an error.
func TestBadValues(t *testing.T) {
	symbol := &Node{Kind: Simple, Last: 1, Value: Symbol, Symbols: suits}
	either := &Node{Kind: Union, Last: 2, Fields: []*Node{leaf(0, 1), leaf(1, 1)}}
	nulls := list(1, &Node{Kind: Null, Last: 1, Def: 1})
	text := func(n int, s string) Values {
		return Values{N: n, Data: []byte(s), Offsets: []uint32{0, uint32(len(s)), 0}[:n+1]}
	}
	for _, c := range []struct {
		name   string
		tree   *Node
		leaves []Leaf
		batch  Batch // of each leaf
		want   string
	}{
		{"both of a union", either, []Leaf{{MaxDef: 1}, {MaxDef: 1}}, Batch{N: 1, Def: []byte{1}, Values: text(1, "x")}, "two values of a union"},
		{"none of a union", either, []Leaf{{MaxDef: 1}, {MaxDef: 1}}, Batch{N: 1, Def: []byte{0}}, "no value of a union, at definition level 0"},
		{"no symbol", symbol, []Leaf{{}}, Batch{N: 1, Values: text(1, "DIAMONDS")}, `"DIAMONDS" is no symbol of the enum`},
		{"a null with a value", nulls, []Leaf{{MaxRep: 1, MaxDef: 2, Width: 1}},
			Batch{N: 1, Def: []byte{2}, Rep: []byte{0}, Values: Values{N: 1, Width: 1, Data: []byte{1}}}, "definition level 2 instead of 1"},
		{"a value more", optional(leaf(0, 1)), []Leaf{{MaxDef: 1}}, Batch{N: 1, Def: []byte{0}, Values: text(1, "x")}, "more than levels that have one"},
		{"a value less", optional(leaf(0, 1)), []Leaf{{MaxDef: 1}}, Batch{N: 1, Def: []byte{1}}, "no value left at a level that has one"},
		{"a value outside", leaf(0, 0), []Leaf{{}}, Batch{N: 1, Values: Values{N: 1, Offsets: []uint32{0, 3}}}, "a value at 0 to 3 of 0 bytes"},
		{"a value that ends before it begins", leaf(0, 0), []Leaf{{}}, Batch{N: 2, Values: text(2, "x")}, "a value at 1 to 0 of 1 bytes"},
		{"another width", leaf(0, 0), []Leaf{{}}, Batch{N: 1, Values: Values{N: 1, Width: 4, Data: le32(1)}}, "values of 4 bytes, not 0"},
		{"fewer levels", optional(leaf(0, 1)), []Leaf{{MaxDef: 1}}, Batch{N: 2, Def: []byte{0}}, "1 definition levels and 0 repetition levels of 2 entries"},
		{"a boolean of 2", &Node{Kind: Simple, Last: 1, Value: Boolean}, []Leaf{{Width: 1}}, Batch{N: 1, Values: Values{N: 1, Width: 1, Data: []byte{2}}}, "boolean that is 2"},
		{"a decimal too large", &Node{Kind: Simple, Last: 1, Value: IntDecimal, Size: 1}, []Leaf{{Width: 4}}, Batch{N: 1, Values: Values{N: 1, Width: 4, Data: le32(128)}}, "a decimal of 2 bytes in a fixed of 1"},
		{"an empty batch", leaf(0, 0), []Leaf{{}}, Batch{}, "a batch of 0 entries and 0 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compile(c.tree, c.leaves)
			if err != nil {
				t.Fatal(err)
			}
			var of []Column
			for range p.Leaves() {
				of = append(of, &again{c.batch, 1})
			}
			rd, err := NewReader(p, of, Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = readAll(rd, 10)
			if at := (*Error)(nil); err == nil || !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// Conversions of values, beside those of random trees.
func TestConvert(t *testing.T) {
	for _, c := range []struct {
		value  Value
		size   int
		width  int
		stored string
		want   string
	}{
		{UUID, 0, 16, "\x12\x34\x56\x78\x9a\xbc\xde\xf0\x01\x02\x03\x04\x05\x06\x07\xff", "\x4812345678-9abc-def0-0102-0304050607ff"},
		{Half, 0, 2, "\x00\x3c", "\x00\x00\x80\x3f"},
		{Half, 0, 2, "\x01\x80", "\x00\x00\x80\xb3"},
		{Half, 0, 2, "\xff\x7b", "\x00\xe0\x7f\x47"},
		{Half, 0, 2, "\x00\xfc", "\x00\x00\x80\xff"},
		{UintDecimal, 0, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", "\x12\x00\xff\xff\xff\xff\xff\xff\xff\xff"},
		{BigDecimal, 0, 0, "", "\x00"},
		{BigDecimal, 3, 0, "\x01", "\x00\x00\x01"},
		{BigDecimal, 2, 4, "\xff\xff\xff\x80", "\xff\x80"},
		{IntDecimal, 0, 4, "\x00\x00\x00\x00", "\x02\x00"},
		{Long, 0, 8, "\x00\x00\x00\x00\x00\x00\x00\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
	} {
		leaves := []Leaf{{Width: c.width}}
		p, err := Compile(&Node{Kind: Simple, Last: 1, Value: c.value, Size: c.size}, leaves)
		if err != nil {
			t.Fatal(err)
		}
		of, _ := columns(rand.New(rand.NewPCG(1, 1)), p, leaves, [][]entry{{{value: []byte(c.stored)}}})
		rd, err := NewReader(p, of, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := rd.Read(nil, 1); err != nil || string(got) != c.want {
			t.Errorf("value %d of %q: %q and %v, want %q", c.value, c.stored, got, err, c.want)
		}
	}
}

// A tree that is not of the leaves is an error.
func TestBadTree(t *testing.T) {
	for _, n := range []*Node{
		leaf(1, 0), leaf(0, 1), leaf(-1, 0),
		{Kind: List, Last: 1},
		{Kind: Map, Last: 1, Fields: []*Node{leaf(0, 0)}},
		{Kind: Null, Fields: []*Node{leaf(0, 0)}},
		{Kind: Record, Fields: []*Node{leaf(0, 0)}},
		{Kind: List, Rep: 1, Fields: []*Node{{Kind: Null, Def: 1}}},
		{Kind: Record},
	} {
		if _, err := Compile(n, []Leaf{{}}); !errors.Is(err, ErrTree) {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

// A row of small entries and large levels ends at the limit.
func TestRowLimit(t *testing.T) {
	leaves := []Leaf{{Name: "a", MaxRep: 1, MaxDef: 2}}
	n := list(1, optional(leaf(0, 2)))
	p, err := Compile(n, leaves)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry, 3000)
	for i := range entries {
		entries[i] = entry{rep: min(i, 1), def: 1}
	}
	for limit, want := range map[int]error{1000: ErrLimit, 4000: nil} {
		of, _ := columns(rand.New(rand.NewPCG(1, 1)), p, leaves, [][]entry{entries})
		rd, err := NewReader(p, of, Options{RowBytes: limit})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAll(rd, 1); !errors.Is(err, want) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}
