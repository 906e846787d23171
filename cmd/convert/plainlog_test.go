package main

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

func TestPlainLog(t *testing.T) {
	var b strings.Builder
	c := new(command)
	log := slog.New(&plainHandler{w: &b, level: slog.LevelInfo, attr: c.attr, mu: new(sync.Mutex)})
	log.Debug("not this")
	log.Warn("damaged, skipped", "file", "in/b.avro", "blocks", 1, "cause", errors.New("in/b.avro: ocf: block at 155"))
	log.With("run", 7).Info("mapped", "split", "")
	log.Error("failed")
	const want = `convert: warning: damaged, skipped: file in/b.avro, blocks 1, cause "in/b.avro: block at 155"
convert: mapped: run 7, split ""
convert: error: failed
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
