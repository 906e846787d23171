package parquet

import (
	"fmt"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// find returns the leaf of a name: that of the column, as a plan lists it, else that of the Avro
// field, if only one leaf is of it. The option's name is for errors.
//
//	leaf                         name of the field
//	items.list.element.price     items.price
//	attrs.key_value.value        attrs.value
func (l *Layout) find(option, name string) (int, error) {
	var own, of []int
	for i, field := range l.fields() {
		if l.Schema.Leaves[i].String() == name {
			own = append(own, i)
		}
		if field == name {
			of = append(of, i)
		}
	}
	if len(own) == 0 {
		own = of
	}
	switch len(own) {
	case 0:
		return -1, exit.Refused("%s: %q: no such column", option, name)
	case 1:
		return own[0], nil
	}
	return -1, exit.Refused("%s: %q: several columns are of this field: %s", option, name, l.quoted(own))
}

// quoted returns names of columns for a message.
func (l *Layout) quoted(leaves []int) string {
	const most = 10
	var names []string
	for _, i := range leaves[:min(len(leaves), most)] {
		names = append(names, fmt.Sprintf("%q", l.Schema.Leaves[i]))
	}
	if more := len(leaves) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// fields returns, for each leaf, the path of the Avro field that it is of: names of fields, and
// key or value for what is in a map.
func (l *Layout) fields() []string {
	all := make([]string, len(l.Schema.Leaves))
	l.Top.fields(all, "")
	return all
}

func (n *Node) fields(all []string, path string) {
	if n == nil {
		return
	}
	below := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for i := n.First; i < n.Last; i++ {
		all[i] = path
	}
	if n.Avro.Kind == schema.Map {
		all[n.First] = below("key")
	}
	for i, inner := range n.Inner {
		switch n.Avro.Kind {
		case schema.Record:
			inner.fields(all, below(n.Avro.Fields[i].Name))
		case schema.Map:
			inner.fields(all, below("value"))
		default:
			inner.fields(all, path)
		}
	}
}

// filters returns the leaves of the names that --bloom has, in ascending order.
func (l *Layout) filters(names []string) (all []int, err error) {
	for _, name := range names {
		i, err := l.find("bloom", name)
		if err != nil {
			return nil, err
		}
		if l.Schema.Leaves[i].Type == parquet.Boolean {
			return nil, exit.Refused("bloom: column %q has booleans, for which Parquet has no bloom filters", l.Schema.Leaves[i])
		}
		all = append(all, i)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
