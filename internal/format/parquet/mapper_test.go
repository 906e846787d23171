package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/parquet"
)

// blocks gives rows as the blocks of an Avro file, in windows that end anywhere.
type blocks struct {
	r     *rand.Rand
	rows  [][]byte
	data  []byte // of the present block
	shown int
}

func (b *blocks) Next() (ocf.Block, error) {
	if len(b.rows) == 0 {
		return ocf.Block{}, io.EOF
	}
	n := 1 + b.r.IntN(len(b.rows))
	b.data, b.shown = bytes.Join(b.rows[:n], nil), 0
	b.rows = b.rows[n:]
	return ocf.Block{Rows: int64(n), Size: int64(len(b.data))}, nil
}

func (b *blocks) Window(unread int) ([]byte, bool, error) {
	from := b.shown - unread
	b.shown = min(len(b.data), b.shown+b.r.IntN(200))
	return b.data[from:b.shown:b.shown], b.shown == len(b.data), nil
}

// taken takes what the walk made of rows: entries of each leaf, and where runs end.
type taken struct {
	t      testing.TB
	e      *Encoder
	leaves [][]string
	ends   []map[int64]bool // rows before which each leaf's runs end
}

func (*taken) Begin()                                               {}
func (*taken) MaxLen(int, *mapper.Run) int                          { return 0 }
func (c *taken) Mark(column int, r *mapper.Run) int                 { c.t.Fatalf("a mark inside of a run"); return 0 }
func (*taken) Buffer(int) ([]byte, error)                           { return nil, nil }
func (*taken) Add(tuple.Tuple) error                                { return nil }
func (*taken) End(func(tuple.Tuple) error) ([]colsum.Column, error) { return nil, nil }

func (c *taken) Seal(column int, r *mapper.Run, t *tuple.Tuple) error {
	l := c.e.leaves[column]
	data, err := c.e.stored(column, r, t)
	if err != nil {
		return err
	}
	entries := int(r.Rows)
	if l.MaxDef > 0 {
		entries = len(r.Def)
	}
	if int64(entries) != r.Values {
		return fmt.Errorf("%d entries, and %d are told", entries, r.Values)
	}
	values := 0
	for i := range entries {
		e := leveltest.Entry{Def: 0}
		if l.MaxDef > 0 {
			e.Def = int(r.Def[i])
		}
		if l.MaxRep > 0 {
			e.Rep = int(r.Rep[i])
		}
		value := ""
		if e.Def == l.MaxDef {
			var n int
			switch {
			case l.Type == parquet.Boolean:
				value = string(data[values/8] >> (values % 8) & 1)
			case l.Symbols != nil:
				n = 4
			case l.Type == parquet.ByteArray:
				n = 4 + int(data[0]) + int(data[1])<<8 + int(data[2])<<16
			default:
				n = map[parquet.Type]int{parquet.Int32: 4, parquet.Float: 4, parquet.Int64: 8, parquet.Double: 8, parquet.FixedLenByteArray: l.Length}[l.Type]
			}
			values++
			if n > 0 {
				value, data = string(data[:n]), data[n:]
			}
		}
		c.leaves[column] = append(c.leaves[column], fmt.Sprintf("%x r:%d d:%d", value, e.Rep, e.Def))
	}
	if l.Type != parquet.Boolean && len(data) > 0 {
		return fmt.Errorf("%d bytes are left", len(data))
	}
	c.ends[column][t.Row.InSplit()+r.Rows] = true
	return nil
}

// mapped runs the mapper over rows of a writer's schema.
func mapped(t testing.TB, r *rand.Rand, writer *schema.Schema, sel *schema.Selection, l *Layout, rows [][]byte) (*taken, mapper.Result, error) {
	t.Helper()
	return mappedBlocks(t, r, writer, sel, l, &blocks{r: r, rows: rows})
}

// mappedBlocks runs the mapper over blocks of a writer's schema.
func mappedBlocks(t testing.TB, r *rand.Rand, writer *schema.Schema, sel *schema.Selection, l *Layout, in mapper.Blocks) (*taken, mapper.Result, error) {
	t.Helper()
	p, err := mapper.Compile(writer, l.For(sel))
	if err != nil {
		return nil, mapper.Result{}, err
	}
	e, err := NewEncoder(l, parquet.EncoderOptions{}, false)
	if err != nil {
		t.Fatal(err)
	}
	c := &taken{t: t, e: e, leaves: make([][]string, len(l.Schema.Leaves))}
	for range l.Schema.Leaves {
		c.ends = append(c.ends, map[int64]bool{})
	}
	m := mapper.New(p, mapper.Options{BlockSize: 1 + r.IntN(3000), MarkRows: 1 + r.Int64N(40), CutAtMarks: true}, c, c)
	m.Begin(0)
	if _, err := m.Segment(t.Context(), in); err != nil {
		return nil, mapper.Result{}, err
	}
	res, err := m.End()
	return c, res, err
}

// shredded is what the model makes of the same rows.
func shredded(l *Layout, sel *schema.Selection, rows [][]byte) [][]string {
	all := make([][]string, len(l.Schema.Leaves))
	for _, row := range rows {
		for i, entries := range leveltest.Shred(l.Schema, sel, row) {
			for _, e := range entries {
				value := ""
				if e.Value != nil {
					value = string(leveltest.Plain(nil, l.Schema.Leaves[i].Node, e.Value))
				}
				all[i] = append(all[i], fmt.Sprintf("%x r:%d d:%d", value, e.Rep, e.Def))
			}
		}
	}
	return all
}

// The walk makes the entries that the model makes, wherever blocks, windows and runs end; and
// all runs end at each mark.
func TestMapperMakesLevels(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		table := avrotest.NewTable(seed)
		sel := selection(t, table.Schema)
		l, err := Map(sel, Options{Logical: Logical(seed % 2), Binary: true})
		if err != nil {
			t.Fatal(err)
		}
		rows := table.Rows(1 + r.IntN(120))
		got, res, err := mapped(t, r, sel.Text().Schema, sel, l, rows)
		if err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, table.Schema)
		}
		if d := cmp.Diff(shredded(l, sel, rows), got.leaves); d != "" {
			t.Fatalf("seed %d: %s\n%s", seed, table.Schema, d)
		}
		for _, m := range res.Marks {
			for i := range got.ends {
				if !got.ends[i][m.Row] {
					t.Fatalf("seed %d: column %d has no end at the mark before row %d", seed, i, m.Row)
				}
			}
		}
	}
}

// Rows of another schema, resolved as another implementation does.
func TestMapperResolvesToLevels(t *testing.T) {
	made, defaults := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		table := avrotest.NewTable(seed)
		if strings.Contains(table.Schema, `"map"`) {
			continue // the other writes a map's entries in any order
		}
		w, err := schema.ParseText(table.Schema)
		if err != nil {
			t.Fatal(err)
		}
		text := avrotest.Evolved(r, w.Schema)
		sel := selection(t, text)
		l, err := Map(sel, Options{Binary: true})
		if err != nil {
			t.Fatal(err)
		}
		rows := table.Rows(1 + r.IntN(60))
		var want [][]byte
		var strict *avro.CompatibilityError // of a branch that no row may have
		for _, row := range rows {
			out, err := avrotest.Rewritten(table.Schema, text, 1, row)
			if err != nil {
				want = nil
				errors.As(err, &strict)
				break
			}
			want = append(want, out)
		}
		got, _, err := mapped(t, r, w.Schema, sel, l, rows)
		if mismatch := (*schema.Mismatch)(nil); want == nil && (errors.Is(err, mapper.ErrUnresolved) || errors.As(err, &mismatch)) {
			continue
		}
		if err == nil && strict != nil {
			continue
		}
		if want == nil || err != nil {
			t.Fatalf("seed %d: %v; the other made %d rows of %d: %s\n%s", seed, err, len(want), len(rows), table.Schema, text)
		}
		made++
		if len(text) > len(table.Schema) {
			defaults++
		}
		if d := cmp.Diff(shredded(l, sel, want), got.leaves); d != "" {
			t.Fatalf("seed %d: %s\n%s\n%s", seed, table.Schema, text, d)
		}
	}
	if made < 60 || defaults < 30 {
		t.Errorf("only %d tables resolved, %d of them to a longer schema", made, defaults)
	}
}
