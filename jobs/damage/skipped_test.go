package damage

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"avro2trevni/jobs/report"
)

// Of very many damaged files the first are logged, and how many more there are.
func TestLogSkippedEnds(t *testing.T) {
	var log bytes.Buffer
	Log(slog.New(slog.NewTextHandler(&log, nil)), slices.Repeat([]report.Skipped{{Path: "a", Ranges: []report.Range{{}}}}, maxLogged+5))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if last := lines[len(lines)-1]; len(lines) != maxLogged+1 || !strings.HasSuffix(last, `msg="more files are damaged; the report lists them" files=5`) {
		t.Errorf("%d lines, the last is %s", len(lines), last)
	}
}
