package parquet

import (
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// For returns the layout as the mapper takes it; rows are what it was made of.
func (l *Layout) For(rows *schema.Selection) *mapper.Layout {
	m := &mapper.Layout{Rows: rows, Levels: true, Top: l.Top.walked()}
	for _, of := range l.Schema.Leaves {
		m.Columns = append(m.Columns, mapper.Column{Name: of.String(), Parent: -1, MaxDef: byte(of.MaxDef), MaxRep: byte(of.MaxRep)})
	}
	return m
}

// walked returns the node as the walk knows it.
func (n *Node) walked() *mapper.Node {
	if n == nil {
		return nil
	}
	w := &mapper.Node{
		Schema: n.Avro, Column: -1, Key: n.First, Lo: n.First, Hi: n.Last,
		Def: byte(n.Def), Rep: byte(n.Rep), Absent: byte(n.Absent),
	}
	if n.Values != NoValues {
		w.Column = n.First
	}
	for _, inner := range n.Inner {
		w.Inner = append(w.Inner, inner.walked())
	}
	return w
}
