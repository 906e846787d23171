package parquettest

import (
	"fmt"
	"strings"
	"testing"
)

// sh is a tool that is a script.
func sh(script string) tool {
	return func() ([]string, []string, error) { return []string{"sh", "-c", script}, nil, nil }
}

// TestRun has processes that die, or answer what they are not asked.
func TestRun(t *testing.T) {
	jobs := []job{{"a", nil}, {"b", []string{"x"}}, {"c", nil}, {"d", nil}}
	for _, c := range []struct {
		name, script, want string
	}{
		{"sound", `while read j x; do echo "OK	$j	$x"; done`, "a: , b: x, c: , d: "},
		{"bad", `while read j x; do [ $j = b ] && echo "BAD	b	oh no" || echo "OK	$j	"; done`, "a: , b: ! oh no, c: , d: "},
		{"dies", `while read j x; do [ $j = b ] && echo crash >&2 && exit 3; echo "OK	$j	"; done`, "a: , b: ! no answer: exit status 3: crash, c: , d: "},
		{"dies of two", `while read j x; do [ $j = b -o $j = c ] && kill -9 $$; echo "OK	$j	"; done`, "a: , b: ! no answer: signal: killed: , c: ! no answer: signal: killed: , d: "},
		{"ends early", `read j; echo "OK	$j	"`, "a: , b: ! no answer: it ended, c: , d: ! no answer: it ended"},
		{"says nothing", ``, "a: ! no answer: it ended, b: ! no answer: it ended, c: ! no answer: it ended, d: ! no answer: it ended"},
		{"mixes up", `while read j x; do [ $j = b ] && j=z; echo "OK	$j	"; done`, `a: , b: ! no answer: "OK\tz\t" is no answer to "b", c: , d: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, err := run(t.Context(), sh(c.script), nil, jobs)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, j := range jobs {
				a := answers[j.name]
				if a.err != nil {
					a.said = "! " + a.err.Error()
				}
				got = append(got, fmt.Sprintf("%s: %s", j.name, a.said))
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
