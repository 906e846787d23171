package mapper_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// paths returns the paths of all fields of a schema that does not recur.
func paths(s *schema.Schema, at string) []string {
	switch s.Kind {
	case schema.Record:
		var out []string
		for _, f := range s.Fields {
			out = append(append(out, at+f.Name), paths(f.Type, at+f.Name+".")...)
		}
		return out
	case schema.Array, schema.Map:
		return paths(s.Items, at)
	case schema.Union:
		var out []string
		for _, b := range s.Branches {
			out = append(out, paths(b, at)...)
		}
		return out
	}
	return nil
}

// of returns the model of some of the columns.
func (m *model) of(p *program) *model {
	out := &model{byName: m.byName}
	for _, c := range p.Columns() {
		out.columns = append(out.columns, m.byName[c.Name])
	}
	return out
}

// What a projection keeps is what the whole table has there, and what it leaves out
// is stepped over wherever a window ends.
func TestProjectionIsPartOfTheWhole(t *testing.T) {
	projected := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		names := 0
		top := &schema.Schema{Kind: schema.Record, Name: "n.Top"}
		for i := range 1 + r.IntN(4) {
			top.Fields = append(top.Fields, schema.Field{Name: fmt.Sprintf("g%d", i), Type: randomSchema(r, 3, &names)})
		}
		text := textOf(t, top)
		c, err := caseOf(r, text, 1+r.IntN(100))
		if err != nil {
			t.Fatal(err)
		}
		var some [2][]string
		for _, p := range paths(text.Schema, "") {
			if r.IntN(3) == 0 {
				k := r.IntN(2)
				some[k] = append(some[k], p)
			}
		}
		sel, err := text.Select(some[0], some[1])
		if errors.Is(err, schema.ErrNoField) { // all of it is left out
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.p, err = compile(text.Schema, sel); err != nil {
			t.Fatal(err)
		}
		projected++
		c.m = c.m.of(c.p)
		o := mapper.Options{}
		o.BlockSize, o.MarkBytes = 1+r.IntN(300), r.IntN(200)
		for _, window := range []int{0, 1 + r.IntN(100)} {
			tuples, result := run(t, c.p, o, c.blocks, window)
			c.check(t, tuples, result)
		}
		checkText(t, sel, c.p)
		if t.Failed() {
			t.Fatalf("seed %d: %s, columns %v, exclude %v", seed, text, some[0], some[1])
		}
	}
	if projected < 1000 {
		t.Errorf("only %d projections", projected)
	}
}

// checkText checks that the text of a selection is the schema of its columns.
func checkText(t *testing.T, sel *schema.Selection, p *program) {
	t.Helper()
	text, err := sel.JSON()
	if err != nil {
		t.Fatal(err)
	}
	whole := compileText(t, text)
	if d := cmp.Diff(whole.columns, p.columns); d != "" {
		t.Errorf("columns of the text (-) and of the selection (+): %s\n%s", text, d)
	}
}

// A recursive type converts without the branch that recurs, which is stepped over
// however deep it goes, up to a limit.
func TestProjectionCutsRecursion(t *testing.T) {
	text := parseText(t, `{"type":"record","name":"Tree","fields":[{"name":"v","type":"int"},
		{"name":"kids","type":{"type":"array","items":"Tree"}},{"name":"w","type":"string"}]}`)
	if _, err := compile(text.Schema, text.All()); !errors.Is(err, mapper.ErrRecursive) {
		t.Fatal(err)
	}
	sel, err := text.Select(nil, []string{"kids"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(text.Schema, sel)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(p); !cmp.Equal(got, []string{"v", "w"}) {
		t.Fatal(got)
	}
	tree := func(depth int) []byte {
		var b []byte
		for range depth {
			b = append(b, 2, 2) // v, one child
		}
		b = append(b, 2, 0, 2, 'x')
		for range depth {
			b = append(b, 0, 2, 'x')
		}
		return b
	}
	tuples, _ := run(t, p, mapper.Options{}, []testBlock{{2, append(tree(3), tree(2000)...)}}, 0)
	if string(tuples[0].Value) != "\x02\x02" || string(tuples[1].Value) != "\x02x\x02x" {
		t.Errorf("%+v", tuples)
	}
	m := newMapper(p, mapper.Options{}, &dropSink{})
	m.Begin(0)
	_, err = m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{1, tree(mapper.MaxSkipDepth + 2)}}})
	if err == nil || !strings.Contains(err.Error(), "deeper than 10000") {
		t.Error(err)
	}
}

// Whatever is wrong with what is stepped over is an error, and what cannot be found
// without decoding is not looked for.
func TestSkipBadRows(t *testing.T) {
	const nothing = `{"type":"array","items":{"type":"record","name":"N","fields":[]}}`
	for _, c := range []struct {
		name, skipped string
		data          []byte
		want          string // of the error; none: the row is fine
	}{
		{"number of 11 bytes", `"long"`, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "more than 64 bits"},
		{"number cut", `"long"`, []byte{0x80}, "too few"},
		{"an int is not decoded", `"int"`, ints(1 << 40), ""},
		{"nor a symbol", `{"type":"enum","name":"E","symbols":["A"]}`, ints(7), ""},
		{"negative string", `"string"`, ints(-1), "length -1"},
		{"string cut", `"string"`, ints(5, 1), "too few"},
		{"string of 2^62", `"bytes"`, ints(1 << 62), "too few"},
		{"fixed cut", `{"type":"fixed","name":"F","size":20}`, make([]byte, 19), "too few"},
		{"branch", `["null","int"]`, ints(2), "branch 2 of a union of 2"},
		{"negative branch", `["null","int"]`, ints(-1), "branch -1"},
		{"2^62 elements of nothing", nothing, ints(1<<62, 1<<62, 0), ""},
		{"-2^63 elements", nothing, ints(-1<<63, 0, 0), ""},
		{"2^62 elements", `{"type":"array","items":"int"}`, ints(1<<62, 1, 2, 3), "too few"},
		{"block by its size", `{"type":"array","items":"long"}`, append(ints(-100, 3), 0xff, 0xff, 0xff, 0), ""},
		{"block of negative size", `{"type":"array","items":"int"}`, ints(-1, -1, 0), "array block of -1 bytes"},
		{"block of 2^62 bytes", `{"type":"map","values":"int"}`, ints(-1, 1<<62), "too few"},
		{"map of nothing", `{"type":"map","values":"null"}`, ints(1<<62, 0, 0, 0), "too few"},
		{"map", `{"type":"map","values":"null"}`, append(ints(2, 1), 'k', 0, 0), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := parseText(t, `{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":`+c.skipped+`}]}`)
			sel, err := text.Select(nil, []string{"b"})
			if err != nil {
				t.Fatal(err)
			}
			p, err := compile(text.Schema, sel)
			if err != nil {
				t.Fatal(err)
			}
			for _, window := range []int{0, 1, 5} {
				m := newMapper(p, mapper.Options{}, &dropSink{})
				m.Begin(0)
				_, err := m.Segment(t.Context(), &fakeBlocks{blocks: []testBlock{{1, append([]byte{2}, c.data...)}}, size: window})
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("window %d: got %v, want %q", window, err, c.want)
				}
			}
		})
	}
}
