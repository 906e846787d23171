package format

import (
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
)

func TestChoice(t *testing.T) {
	columns := []string{"id", "user#name", "user#mail/string", "items[]", "items[]#sku", "items[]#price/ns.Money#units", "m>", "m>key", "m>value", "a.b"}
	tests := []struct {
		text string
		want string // words, or what the error says
		exit int
	}{
		{"x", "[x x x x x x x x x x]", exit.StatusDone},
		{"id=y", "[y d d d d d d d d d]", exit.StatusDone},
		{"x,id=y", "[y x x x x x x x x x]", exit.StatusDone},
		{"id=y,x", "[y x x x x x x x x x]", exit.StatusDone},
		{"x,user=y", "[x y y x x x x x x x]", exit.StatusDone},
		{"x,user.mail=z,user=y", "[x y z x x x x x x x]", exit.StatusDone},
		{"x,items=y,items.price=z,items[]=w", "[x x x w y z x x x x]", exit.StatusDone},
		{"x,m=y,m>key=z", "[x x x x x x y z y x]", exit.StatusDone},
		{"x,a.b=y", "[x x x x x x x x x y]", exit.StatusDone},
		{"x,use=y", `o: "use": no such column`, exit.StatusRefused},
		{"x,y", "two are given for all columns", exit.StatusUsage},
		{"id=x,id=y", `two are given for "id"`, exit.StatusUsage},
		{"=x", "a column's name is empty", exit.StatusUsage},
	}
	for _, test := range tests {
		c, err := ParseChoice("o", test.text, "d")
		var words []string
		if err == nil {
			words, err = c.Words("o", columns, colname.Path)
		}
		if err != nil || test.exit != exit.StatusDone {
			if err == nil || exit.Code(err) != test.exit || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q of status %d", test.text, err, test.want, test.exit)
			}
			continue
		}
		if got := fmt.Sprint(words); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}
