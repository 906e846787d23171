package colname

import (
	"errors"
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	for column, want := range map[string]string{
		"id": "id", "user#name": "user.name", "latitude/double": "latitude", "items[]": "items",
		"items[]#price/ns.Money": "items.price", "items[]#price/ns.Money#units": "items.price.units",
		"attrs>": "attrs", "attrs>key": "attrs.key", "attrs>value#x": "attrs.value.x", "attrs>value>key": "attrs.value.key",
		"aa[][]": "aa", "u/ns.Rec[]": "u", "a[]>value": "a.value", "": "",
	} {
		if got := Path(column); got != want {
			t.Errorf("Path(%q) = %q, want %q", column, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	columns := []string{"id", "user#name", "u/string", "u/long", "items[]", "items[]#sku", "x", "x/int", "lat/double"}
	for _, c := range []struct {
		name string
		want int
		err  error
		text string
	}{
		{"id", 0, nil, ""}, {"user.name", 1, nil, ""}, {"user#name", 1, nil, ""}, {"items", 4, nil, ""},
		{"items.sku", 5, nil, ""}, {"lat", 8, nil, ""}, {"u/long", 3, nil, ""},
		{"x", 6, nil, ""}, // a name comes before a path
		{"u", -1, ErrAmbiguous, `"u": several columns are of this field: "u/string", "u/long"`},
		{"user", -1, ErrUnknown, `"user": no such column`}, {"", -1, ErrUnknown, ""}, {"ID", -1, ErrUnknown, ""},
	} {
		got, err := Find(columns, c.name)
		if got != c.want || !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("Find(%q) = %d, %v; want %d, %v", c.name, got, err, c.want, c.err)
		}
	}
	many := make([]string, 30)
	for i := range many {
		many[i] = "f/b" + strings.Repeat("x", i)
	}
	if _, err := Find(many, "f"); err == nil || !strings.HasSuffix(err.Error(), "and 20 more") {
		t.Errorf("of 30: %v", err)
	}
}
