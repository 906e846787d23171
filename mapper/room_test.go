package mapper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
)

// limited grants so many bytes.
type limited struct{ limit, held, most int64 }

var errNoRoom = errors.New("no room")

func (l *limited) Acquire(n int64) error {
	if l.held+n > l.limit {
		return errNoRoom
	}
	l.held += n
	l.most = max(l.most, l.held)
	return nil
}

func (l *limited) Release(n int64) { l.held -= n }

// What resolution makes of a row, beyond the row's own bytes, is asked for before it is made,
// and given back when the row is done; a refusal is no fault of the data.
func TestWideRowsAskForRoom(t *testing.T) {
	const elements = 300_000
	array := func(blocks int) []byte {
		var b []byte
		for range blocks {
			b = append(binary.AppendVarint(b, elements/int64(blocks)), bytes.Repeat([]byte{2}, elements/blocks)...)
		}
		return append(b, 0)
	}
	const record = `{"type":"record","name":"r","fields":[{"name":"i","type":"int"}%s]}`
	more := `,{"name":"d","type":"string","default":"` + strings.Repeat("d", 20) + `"}`
	for _, c := range []struct {
		name, from, to string
		blocks         int
		makes          int64 // bytes
	}{
		{"doubles", `"int"`, `"double"`, 1, 8 * elements},
		{"doubles in blocks", `"int"`, `"double"`, 40, 8 * elements},
		{"floats", `"long"`, `"float"`, 1, 4 * elements},
		{"defaults", fmt.Sprintf(record, ""), fmt.Sprintf(record, more), 1, 21 * elements},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := func(s string) string { return `{"type":"array","items":` + s + `}` }
			p, err := compile(parseText(t, items(c.from)).Schema, parseText(t, items(c.to)).All())
			if err != nil {
				t.Fatal(err)
			}
			data := append(append(array(c.blocks), 2, 2, 0), array(c.blocks)...)
			blocks := []testBlock{{3, data}}
			room := &limited{limit: 1 << 40}
			inRoom := func(window int) ([]tuple.Tuple, error) {
				sink := &keepSink{t: t}
				m := newMapper(p, mapper.Options{}, sink)
				m.SetRoom(room)
				m.Begin(7)
				if _, err := m.Segment(t.Context(), &fakeBlocks{blocks: blocks, size: window}); err != nil {
					return nil, err
				}
				_, err := m.End()
				return sink.tuples, err
			}
			want, _, err := tryRun(t, p, mapper.Options{}, blocks, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, window := range []int{0, elements / 3} {
				got, err := inRoom(window)
				if err != nil || differ(want, got) != "" {
					t.Fatalf("window %d: other tuples, %v", window, err)
				}
				if room.held != 0 || room.most < c.makes || room.most > 5*c.makes {
					t.Errorf("window %d: %d bytes are held after all, the most was %d; the row is of %d", window, room.held, room.most, c.makes)
				}
			}
			room.limit = c.makes / 2
			var bad *mapper.Error
			if _, err := inRoom(0); !errors.Is(err, errNoRoom) || errors.As(err, &bad) {
				t.Errorf("without room: %v", err)
			}
		})
	}
}
