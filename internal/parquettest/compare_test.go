package parquettest

import (
	"strings"
	"testing"
)

func TestCompareRows(t *testing.T) {
	renames, unscaled, mapped := allowance{renames: true}, allowance{unscaled: true}, allowance{mapped: true}
	for _, c := range []struct {
		name, want, got string
		allowance
		says string // empty if they are equal
	}{
		{name: "equal, other spelling", want: `{"a":"s:\u00e9"}`, got: `{"a": "s:é"}`},
		{name: "zeros", want: `{"a":"d:8000000000000000"}`, got: `{"a":"d:0000000000000000"}`, says: `row 0: .a: d:0000000000000000 (0), want d:8000000000000000 (-0)`},
		{name: "text and bytes", want: `{"a":"x:61"}`, got: `{"a":"s:a"}`, says: `.a: "s:a", want "x:61"`},
		{name: "number and text", want: `{"a":1}`, got: `{"a":"s:1"}`, says: `.a: "s:1", want 1`},
		{name: "large numbers", want: `{"a":9223372036854775807}`, got: `{"a":9223372036854775806}`, says: `.a`},
		{name: "null and none", want: `{"a":null}`, got: `{"a":[]}`, says: `.a: [], want null`},
		{name: "below", want: `{"a":[{"b":1},{"b":2}]}`, got: `{"a":[{"b":1},{"b":3}]}`, says: `row 0: .a[1].b: 3, want 2`},
		{name: "fewer elements", want: `{"a":[1,2]}`, got: `{"a":[1]}`, says: `.a: 1 elements, want 2`},
		{name: "another name", want: `{"a":1}`, got: `{"b":1}`, says: `a field "b", want "a"`},
		{name: "order of fields", want: `{"a":1,"b":2}`, got: `{"b":2,"a":1}`, says: `a field "b", want "a"`},
		{name: "no name", want: `{"":1}`, got: `{"C0":1}`, says: `a field "C0", want ""`},
		{name: "no name, renamed", want: `{"":1}`, got: `{"C0":1}`, allowance: renames},
		{name: "case, renamed", want: `{"a":1,"A":2}`, got: `{"a":1,"A_1":2}`, allowance: renames},
		{name: "a name, renamed", want: `{"a":1}`, got: `{"b":1}`, allowance: renames, says: `a field "b"`},
		{name: "decimal", want: `{"a":"n:-0.50"}`, got: `{"a":-50}`, says: `.a`},
		{name: "decimal, unscaled", want: `{"a":"n:-0.50"}`, got: `{"a":-50}`, allowance: unscaled},
		{name: "decimal of 0, unscaled", want: `{"a":"n:0.00"}`, got: `{"a":0}`, allowance: unscaled},
		{name: "decimal, unscaled, another", want: `{"a":"n:0.50"}`, got: `{"a":5}`, allowance: unscaled, says: `.a: 5, want "n:0.50"`},
		{name: "map", want: `[{"key":"s:a","value":1},{"key":"s:b","value":2}]`, got: `[{"key":"s:b","value":2},{"key":"s:a","value":1}]`, says: `[0].key`},
		{name: "map, any order", want: `[{"key":"s:a","value":1},{"key":"s:b","value":2}]`, got: `[{"key":"s:b","value":2},{"key":"s:a","value":1}]`, allowance: mapped},
		{name: "map, equal keys", want: `[{"key":"s:a","value":1},{"key":"s:a","value":2}]`, got: `[{"key":"s:a","value":2}]`, allowance: mapped},
		{name: "map, another value", want: `[{"key":"s:a","value":1}]`, got: `[{"key":"s:a","value":2}]`, allowance: mapped, says: `[0].value: 2, want 1`},
		{name: "fewer rows", want: "1\n2", got: "1", says: "only 1 rows"},
		{name: "more rows", want: "1", got: "1\n2", says: "more rows than 1"},
		{name: "no JSON", want: "1", got: "{", says: "row 0: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := compareRows(strings.NewReader(c.want+"\n"), strings.NewReader(c.got+"\n"), c.allowance)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}
