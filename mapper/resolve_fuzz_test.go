package mapper_test

import (
	"fmt"
	"testing"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// evolved are pairs of a writer's schema and one that its rows are resolved to, which
// between them make every instruction.
var evolved = [][2]string{
	{`{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"float"},{"name":"s","type":"string"},
		{"name":"g","type":{"type":"array","items":{"type":"record","name":"S","fields":[{"name":"x","type":"int"},{"name":"y","type":{"type":"map","values":"long"}}]}}},
		{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},{"name":"u","type":["null","int","string"]},{"name":"f","type":{"type":"fixed","name":"F","size":3}}]}`,
		`{"type":"record","name":"R","fields":[{"name":"u","type":["string","double","null"]},{"name":"a","type":"double"},{"name":"b","type":["null","double"]},
		{"name":"g","type":{"type":"array","items":{"type":"record","name":"S","fields":[{"name":"x","type":"float"},{"name":"z","type":["null","string"],"default":null},{"name":"w","type":{"type":"array","items":"boolean"},"default":[true,false]}]}}},
		{"name":"e","type":{"type":"enum","name":"E","symbols":["C","A"],"default":"C"}},{"name":"n","type":"string","default":"new"}]}`},
	{`{"type":"record","name":"T","fields":[{"name":"v","type":"int"},{"name":"kids","type":{"type":"array","items":"T"}},{"name":"up","type":["null","T"]},{"name":"w","type":"boolean"}]}`,
		`{"type":"record","name":"T","fields":[{"name":"w","type":"boolean"},{"name":"v","type":"long"}]}`},
	{`{"type":"array","items":{"type":"record","name":"N","fields":[]}}`,
		`{"type":"array","items":{"type":"record","name":"N","fields":[{"name":"x","type":["null","int"],"default":null},{"name":"s","type":"string","default":"abc"}]}}`},
	{`["null","int",{"type":"record","name":"A","fields":[{"name":"x","type":"long"}]}]`,
		`["double",{"type":"record","name":"A","fields":[{"name":"y","type":"int","default":1}]}]`},
	{`{"type":"record","name":"R","fields":[{"name":"n","type":"null"}]}`,
		`{"type":"record","name":"R","fields":[{"name":"n","type":["null","int"]},{"name":"x","type":"int","default":5}]}`},
	{`{"type":"map","values":{"type":"array","items":["null","long"]}}`, `{"type":"map","values":{"type":"array","items":["float","null","string"]}}`},
}

// FuzzResolve resolves any bytes by any of the pairs: data or an error, whole and in
// windows alike, and never more out than in by more than the schemas explain.
func FuzzResolve(f *testing.F) {
	var programs []*program
	for _, pair := range evolved {
		w, err := schema.Parse(pair[0])
		if err != nil {
			f.Fatal(err)
		}
		p, err := compile(w, parseText(f, pair[1]).All())
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, p)
	}
	f.Add(uint8(0), uint16(1), uint8(3), []byte{2, 0, 0, 0x80, 0x3f, 2, 'x', 2, 4, 2, 2, 'k', 6, 0, 0, 2, 2, 6, 'a', 'b', 'c'})
	f.Add(uint8(1), uint16(1), uint8(0), []byte{2, 2, 4, 0, 0, 1, 0, 2, 6, 0, 0, 0, 1})
	f.Add(uint8(2), uint16(2), uint8(1), []byte{20, 0, 19, 0, 0})
	f.Add(uint8(3), uint16(3), uint8(0), []byte{2, 8, 4, 10, 2, 12})
	f.Add(uint8(4), uint16(9), uint8(0), []byte{})
	f.Add(uint8(5), uint16(1), uint8(2), []byte{2, 2, 'k', 4, 0, 2, 8, 0, 0})
	f.Fuzz(func(t *testing.T, which uint8, rows uint16, window uint8, data []byte) {
		p := programs[int(which)%len(programs)]
		o := mapper.Options{}
		o.BlockSize, o.MarkBytes, o.MaxEmpty = 64, 50, 1000
		blocks := []testBlock{{int64(rows), data}}
		whole, result, err := tryRun(t, p, o, blocks, 0)
		parts, again, err2 := tryRun(t, p, o, blocks, 1+int(window))
		if a, b := fmt.Sprint(err), fmt.Sprint(err2); a != b {
			t.Fatalf("whole: %v, in windows of %d: %v", err, 1+int(window), err2)
		}
		if err != nil {
			return
		}
		if d := differ(whole, parts) + differ(result, again); d != "" {
			t.Fatal(d)
		}
		total := 0
		for i := range whole {
			total += len(whole[i].Value)
		}
		if most := 40*len(data) + 40*int(rows) + 20000; total > most {
			t.Errorf("%d bytes of %d", total, len(data))
		}
	})
}
