package interop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
)

// evolver changes the JSON of a schema as people change schemas.
type evolver struct {
	*rand.Rand
	names int
}

// typ changes the JSON of a type. inUnion tells that it is a union's branch.
func (e *evolver) typ(v any, inUnion bool) any {
	if !inUnion && e.IntN(8) == 0 {
		if _, isUnion := v.([]any); !isUnion && v != "null" {
			return []any{"null", e.typ(v, true)}
		}
	}
	switch v := v.(type) {
	case string:
		wider := map[string][]string{"int": {"long", "float", "double"}, "long": {"float", "double"}, "float": {"double"}, "string": {"bytes"}}[v]
		if !inUnion && len(wider) > 0 && e.IntN(3) == 0 {
			return wider[e.IntN(len(wider))]
		}
	case []any:
		for i := range v {
			v[i] = e.typ(v[i], true)
		}
		if e.IntN(2) == 0 {
			e.Shuffle(len(v), func(i, k int) { v[i], v[k] = v[k], v[i] })
		}
	case map[string]any:
		return e.object(v)
	}
	return v
}

func (e *evolver) object(v map[string]any) any {
	switch v["type"] {
	case "record":
		v["fields"] = e.fields(v["fields"].([]any))
	case "array":
		v["items"] = e.typ(v["items"], false)
	case "map":
		v["values"] = e.typ(v["values"], false)
	case "enum":
		symbols := v["symbols"].([]any)
		e.Shuffle(len(symbols), func(i, k int) { symbols[i], symbols[k] = symbols[k], symbols[i] })
		if e.IntN(2) == 0 {
			v["symbols"] = append(symbols[:1+e.IntN(len(symbols))], "NEW")
			v["default"] = "NEW"
		}
	}
	return v
}

// fields drops, renames, adds and shuffles fields.
func (e *evolver) fields(list []any) []any {
	out := []any{}
	for _, f := range list {
		f := f.(map[string]any)
		delete(f, "default") // which may not be one of the changed type
		delete(f, "order")
		if e.IntN(8) == 0 {
			continue
		}
		if e.IntN(8) == 0 {
			e.names++
			f["aliases"], f["name"] = []any{f["name"]}, fmt.Sprint("renamed", e.names)
		}
		f["type"] = e.typ(f["type"], false)
		out = append(out, f)
	}
	if e.IntN(3) == 0 {
		e.names++
		added := []string{
			`{"type":"int","default":-3}`, `{"type":["null","string"],"default":null}`, `{"type":"boolean","default":true}`,
			`{"type":{"type":"array","items":["int","null"]},"default":[1,2]}`, `{"type":{"type":"map","values":"bytes"},"default":{"k":"\u00ff"}}`,
			`{"type":{"type":"record","name":"Added%d","fields":[{"name":"x","type":"double","default":0.5},{"name":"y","type":["string","null"],"default":"why"}]},"default":{"x":1}}`,
		}[e.IntN(6)]
		var f map[string]any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(added, "%d", fmt.Sprint(e.names))), &f); err != nil {
			panic(err)
		}
		f["name"] = fmt.Sprint("added", e.names)
		out = append(out, f)
	}
	e.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// namesAgain is what Java says where it applies aliases: it then checks all names of a
// schema that it took without a check.
const namesAgain = "SchemaParseException"

// TestRandomEvolution changes the fixtures' schemas at random. Where convert resolves
// to what results, Java makes the same rows of it; where it refuses, Java fails.
func TestRandomEvolution(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir, avro := t.TempDir(), avroFixtures(t)
	var jobs []job
	said := map[string]string{}
	for seed := range uint64(3) {
		for _, base := range sorted(avro) {
			if strings.Contains(base, "-wide") || strings.Contains(base, "top-") || strings.Contains(base, "zero-bytes") {
				continue
			}
			name := fmt.Sprintf("%s-%d", base, seed)
			var v any
			if err := json.Unmarshal([]byte(fileSchema(t, avro[base])), &v); err != nil {
				t.Fatal(err)
			}
			e := evolver{Rand: rand.New(rand.NewPCG(seed, uint64(len(name))))}
			text, err := json.Marshal(e.typ(v, true))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Parse(string(text)); err != nil {
				continue // a definition went with a field
			}
			path := writeFile(t, dir, name+".avsc", text)
			j, exit, message := attempt(t, dir, name, avro[base], path)
			if exit == 3 && !strings.Contains(message, "cannot resolve") {
				continue
			}
			said[name] = message
			jobs = append(jobs, j)
		}
	}
	resolved := 0
	got := runJava(t, jobs)
	for _, j := range jobs {
		a, ours := got[j.name], said[j.name] == "" || warned(said[j.name])
		if ours {
			resolved++
		}
		if a.ok != ours && !strings.Contains(a.seen, noColumns) && !strings.Contains(a.seen, namesAgain) {
			t.Errorf("%s: Java %q, ours %q, schema %s", j.name, a.seen, said[j.name], filepath.Join(dir, j.args[0]))
		}
	}
	t.Logf("%d of %d resolved", resolved, len(jobs))
	if resolved < 100 {
		t.Errorf("only %d of %d resolved", resolved, len(jobs))
	}
}
