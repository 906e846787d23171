package trvfile

import (
	"context"
	"fmt"
	"slices"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Scan implements [colfile.File].
func (f *file) Scan(ctx context.Context, i int, into *tally.Tally) error {
	if f.tree == nil {
		f.tree = newTree(f)
	}
	t := f.tree
	wanted := []int{i}
	if needsParent(t.nodes[i].col) {
		for k := t.nodes[i].parent; k >= 0; k = t.nodes[k].parent {
			wanted = append(wanted, k)
		}
		slices.Reverse(wanted)
	}
	if err := t.load(wanted); err != nil {
		return err
	}
	if len(wanted) > 1 {
		if err := t.countParents(ctx, t.nodes[i].parent); err != nil {
			return err
		}
	}
	if err := t.nodes[i].err; err != nil {
		return err
	}
	for w := t.walk(i); w.next(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.read(); err != nil {
			return err
		}
		if err := addBlock(into, w); err != nil {
			return w.place(err)
		}
	}
	return nil
}

// needsParent reports whether only the parent tells how many values there are.
func needsParent(c *trevni.Column) bool {
	return c.Parent != "" && !c.Array && (c.Type == trevni.Null || c.Type == trevni.Boolean)
}

// countParents walks column i, and before it those above, for their elements.
func (t *tree) countParents(ctx context.Context, i int) error {
	if i < 0 {
		return nil
	}
	if err := t.countParents(ctx, t.nodes[i].parent); err != nil {
		return err
	}
	if t.nodes[i].err != nil {
		return t.nodes[i].err
	}
	for w := t.walk(i); w.next(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.read(); err != nil {
			return err
		}
		if err := w.count(nil); err != nil {
			return w.place(err)
		}
	}
	return nil
}

// place says where an error was met.
func (w *walker) place(err error) error {
	return fmt.Errorf("%s: column %q block %d: %w", w.t.f.name, w.n.col.Name, w.block, err)
}

// addBlock adds the walker's block to a tally.
func addBlock(t *tally.Tally, w *walker) error {
	typ := w.n.col.Type
	if w.n.col.Array {
		return w.count(func(r *block.LengthReader) error { return addRun(t, typ, r) })
	}
	switch n := int(w.units); typ {
	case trevni.Null:
		t.Values += w.units
		return nil
	case trevni.Boolean:
		if _, err := block.SkipValues(w.raw, typ, n); err != nil {
			return err
		}
		t.Booleans(w.raw, n)
		return nil
	}
	before := t.Values
	if err := addValues(t, typ, w.raw); err != nil {
		return err
	}
	if n := t.Values - before; w.known && n != w.units {
		return fmt.Errorf("%w: %s values, %s", trevni.ErrCorrupt, show.Comma(n), w.wanted())
	}
	return nil
}

// addRun adds a run of lengths, and their values.
func addRun(t *tally.Tally, typ trevni.Type, r *block.LengthReader) error {
	if r.Length == 0 {
		t.Empty += uint64(r.Count)
		return nil
	}
	switch {
	case typ == trevni.Null:
		t.Values += uint64(r.Length) * uint64(r.Count)
		return nil
	case typ == trevni.Boolean && r.Length == 1: // a byte each
		for i := range r.Data {
			t.Booleans(r.Data[i:i+1], 1)
		}
		return nil
	case typ == trevni.Boolean:
		t.Booleans(r.Data, r.Length)
		return nil
	}
	return addValues(t, typ, r.Data)
}

// addValues adds values to the last byte.
func addValues(t *tally.Tally, typ trevni.Type, b []byte) (err error) {
	switch typ {
	case trevni.Int, trevni.Long:
		err = t.Varints(b)
	case trevni.String, trevni.Bytes:
		err = t.Texts(b)
	case trevni.Float, trevni.Fixed32:
		err = t.Wide(b, 4)
	default:
		err = t.Wide(b, 8)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", trevni.ErrCorrupt, err)
	}
	return err
}
