package inputs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage/storagetest"
)

// planOf returns a plan of one file, which holds the data.
func planOf(t *testing.T, m *storagetest.Mem, data string) *Plan {
	m.Write("/a.avro", data)
	info, err := m.Stat("/a.avro")
	must(t, err)
	p := New(Options{FS: m})
	p.Add(Input{Path: "/a.avro", Size: info.Size(), ModTime: info.ModTime()})
	return p
}

func TestUnchanged(t *testing.T) {
	m := storagetest.NewMem()
	tests := []struct {
		change func()
		says   string
	}{
		{func() {}, ""},
		{func() { m.Write("/a.avro", "abc") }, "written at"},
		{func() { m.Write("/a.avro", "abcd") }, "3 bytes, then 4"},
		{func() { must(t, m.Remove("/a.avro")) }, "it is gone"},
	}
	for _, test := range tests {
		p := planOf(t, m, "abc")
		test.change()
		status := exit.StatusRetry
		if test.says == "" {
			status = exit.StatusDone
		}
		wantExit(t, p.Unchanged(t.Context()), status, test.says)
		f, err := p.Open(t.Context(), 0)
		wantExit(t, err, status, test.says)
		if err == nil {
			must(t, f.Close())
		}
	}
}

// An input is read no more when the job is interrupted.
func TestInterruptedReading(t *testing.T) {
	m := storagetest.NewMem()
	p := planOf(t, m, strings.Repeat("x", 1000))
	ctx, cancel := context.WithCancelCause(t.Context())
	f, err := p.Open(ctx, 0)
	must(t, err)
	defer f.Close()
	_, err = f.ReadAt(make([]byte, 10), 0)
	must(t, err)
	cancel(&exit.Interrupt{Signal: syscall.SIGTERM})
	for _, at := range []int64{0, 10, p.Bytes - 10} {
		if n, err := f.ReadAt(make([]byte, 10), at); n != 0 || !errors.Is(err, exit.ErrInterrupted) {
			t.Errorf("at %d: %d bytes, %v", at, n, err)
		}
	}
	p.Inputs[0].Header = &ocf.Header{Codec: "null", Size: 10}
	rows := &avroRows{new(ocf.Reader), p, &p.Inputs[0], Segment{Start: 100}, f}
	err = rows.Explain(ctx, fmt.Errorf("x: %w", ocf.ErrCorrupt))
	if d := (*Damage)(nil); errors.As(err, &d) {
		t.Errorf("what could not be read is damage: %v", err)
	}
}
