package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	person = `{"type":"record","name":"Person","namespace":"n","fields":[{"name":"id","type":"long"},
		{"name":"home","type":{"type":"record","name":"Address","fields":[{"name":"street","type":"string"},{"name":"city","type":"string"},{"name":"code","type":"int"}]}},
		{"name":"work","type":["null","Address"]},
		{"name":"tags","type":{"type":"array","items":{"type":"record","name":"Tag","fields":[{"name":"key","type":"string"},{"name":"note","type":"string"}]}}}]}`
	tree = `{"type":"record","name":"Tree","fields":[{"name":"v","type":"int"},{"name":"left","type":["null","Tree"]},{"name":"right","type":["null","Tree"]}]}`
)

// fieldsOf returns the paths of the fields that a text has, as LeftOut spells them.
func fieldsOf(t *testing.T, text string) []string {
	t.Helper()
	s, err := ParseText(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var out []string
	seen := map[*Schema]bool{}
	var walk func(s *Schema, at string)
	walk = func(s *Schema, at string) {
		if seen[s] {
			return
		}
		seen[s] = true
		s.children(func(step string, c *Schema) bool {
			below := at
			if s.Kind == Record {
				below = strings.TrimPrefix(at+step, ".")
				out = append(out, below)
			}
			walk(c, below)
			return true
		})
	}
	walk(s.Schema, "")
	return out
}

func TestSelect(t *testing.T) {
	for _, c := range []struct{ name, text, columns, exclude, kept, left string }{
		{"a field", person, "id", "", "id", "home work tags"},
		{"a parent takes its children", person, "home", "", "home home.street home.city home.code", "id work tags"},
		{"a child", person, "home.city", "", "home home.city", "id home.street home.code work tags"},
		{"through an array", person, "tags.key", "", "tags tags.key", "id home work tags.note"},
		{"through a union", person, "work.city", "", "work work.city", "id home work.street work.code tags"},
		{"what one place keeps is kept in all", person, "home.city work.code", "", "home home.city home.code work", "id home.street tags"},
		{"left out", person, "", "home work", "id tags tags.key tags.note", "home work"},
		{"a child left out", person, "", "tags.note", "id home home.street home.city home.code work tags tags.key", "tags.note"},
		{"both", person, "home id", "home.code", "id home home.street home.city", "home.code work tags"},
		{"a pattern", person, "t*.k*", "", "tags tags.key", "id home work tags.note"},
		{"any field", person, "", "*.note", "id home home.street home.city home.code work tags tags.key", "tags.note"},
		{"all fields", person, "*", "", "id home home.street home.city home.code work tags tags.key tags.note", ""},
		{"recursion", tree, "", "left right", "v", "left right"},
		{"recursion by columns", tree, "v", "", "v", "left right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := ParseText(c.text)
			if err != nil {
				t.Fatal(err)
			}
			sel, err := text.Select(strings.Fields(c.columns), strings.Fields(c.exclude))
			if err != nil {
				t.Fatal(err)
			}
			json, err := sel.JSON()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Fields(c.kept), fieldsOf(t, json)); d != "" {
				t.Errorf("kept (-want +got): %s", d)
			}
			if d := cmp.Diff(strings.Fields(c.left), append([]string{}, sel.LeftOut()...)); d != "" {
				t.Errorf("left out (-want +got): %s", d)
			}
		})
	}
}

func TestSelectErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, columns, exclude string
		is                           error
		says                         string
	}{
		{"no field", person, "nmae", "", ErrNoField, `"nmae"; there are home, id, tags, work`},
		{"no field below", person, "home.zip", "", ErrNoField, `"home.zip"; under "home" there are city, code, street`},
		{"nothing below", person, "id.x", "", ErrNoField, `"id.x"; there are`},
		{"left out of nothing", person, "", "tags.nope", ErrNoField, `under "tags" there are key, note`},
		{"no match", person, "x*", "", ErrNoField, "there are home"},
		{"a question mark is itself", person, "i?", "", ErrNoField, "there are home"},
		{"everything", person, "", "*", ErrNoField, "every field is left out"},
		{"a type used twice", person, "", "home.city", ErrShared, `"home.city" is to be left out of record n.Address, and "work.city"`},
		{"half a recursion", tree, "", "left", ErrShared, `"right.left"`},
		{"a number", `"int"`, "a", "", ErrNoField, `"a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := ParseText(c.text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = text.Select(strings.Fields(c.columns), strings.Fields(c.exclude))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

// Fields have the order of the columns that were asked for, and a type is defined where it is
// first used then.
func TestSelectInOrder(t *testing.T) {
	for _, c := range []struct {
		columns, want []string
	}{
		{[]string{"tags.note", "id", "tags.key"}, []string{"tags", "tags.note", "tags.key", "id"}},
		{[]string{"work.code", "id", "home.street"}, []string{"work", "work.code", "work.street", "id", "home"}},
		{[]string{"work", "home"}, []string{"work", "work.street", "work.city", "work.code", "home"}},
		{[]string{"*s", "id"}, []string{"tags", "tags.key", "tags.note", "id"}},
		{[]string{"home.city", "home"}, []string{"home", "home.city", "home.street", "home.code"}},
		{nil, []string{"id", "home", "home.street", "home.city", "home.code", "work", "tags", "tags.key", "tags.note"}},
	} {
		text, err := ParseText(person)
		if err != nil {
			t.Fatal(err)
		}
		sel, err := text.Select(c.columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sel.InOrder().JSON()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, fieldsOf(t, got)); diff != "" {
			t.Errorf("%v: %s", c.columns, diff)
		}
	}
}
