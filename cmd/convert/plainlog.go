package main

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
)

// plainHandler logs for a person at a terminal, in the voice of the errors. A file of logs
// has slog's own text or JSON, with times.
//
//	convert: warning: damaged, skipped: file in/b.avro, blocks 1, cause "in/b.avro: block at ..."
type plainHandler struct {
	w     io.Writer
	level slog.Level
	attr  func(groups []string, a slog.Attr) slog.Attr
	given []slog.Attr // by With
	mu    *sync.Mutex // w's
}

// Enabled implements [slog.Handler].
func (h *plainHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

// Handle implements [slog.Handler].
func (h *plainHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("convert: ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	between := ": "
	add := func(a slog.Attr) bool {
		a = h.attr(nil, a)
		value := a.Value.String()
		if value == "" || strings.ContainsAny(value, " ,\n\"") {
			value = strconv.Quote(value)
		}
		b.WriteString(between + a.Key + " " + value)
		between = ", "
		return true
	}
	for _, a := range h.given {
		add(a)
	}
	r.Attrs(add)
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, b.String())
	return err
}

// WithAttrs implements [slog.Handler].
func (h *plainHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *h
	other.given = append(h.given[:len(h.given):len(h.given)], attrs...)
	return &other
}

// WithGroup implements [slog.Handler]: names of groups are left out.
func (h *plainHandler) WithGroup(string) slog.Handler { return h }
