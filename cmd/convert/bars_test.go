package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"

	"avro2trevni/jobs/report"
	"avro2trevni/jobs/watch"
)

func TestStage(t *testing.T) {
	var p watch.Progress
	s := newStage(mpb.New(mpb.WithOutput(io.Discard)), "map", &p.Rows, "rows")
	defer s.bar.Abort(true)
	tests := []struct {
		done, total, rows int64
		want              string // a pattern
	}{
		{0, 0, 0, `^0 B / 0 B  0 rows$`},
		{0, 2 << 20, 0, `^0 B / 2.0 MiB  0 rows$`},
		{1 << 20, 2 << 20, 1234, `^1.0 MiB / 2.0 MiB  1,234 rows  .*/s  .*s left$`},
		{2 << 20, 2 << 20, 2468, `^2.0 MiB / 2.0 MiB  2,468 rows  .*/s  0s left$`},
	}
	for _, test := range tests {
		time.Sleep(time.Millisecond) // so that there is a rate
		p.Rows.Store(test.rows)
		s.update(test.done, test.total, true)
		if got := *s.text.Load(); !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	last := *s.text.Load()
	time.Sleep(time.Millisecond)
	s.update(2<<20, 2<<20, true)
	if got := *s.text.Load(); got != last {
		t.Errorf("a stage that ended went on from %q to %q", last, got)
	}
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestShowBars(t *testing.T) {
	var w buffer
	var p watch.Progress
	p.MapTotal.Store(100)
	stop := showBars(&w, &p, 0)
	p.Mapped.Store(50)
	p.Rows.Store(7)
	const want = "50 B / 100 B  7 rows"
	for tries := 0; tries < 300 && !strings.Contains(w.String(), want); tries++ {
		time.Sleep(refresh / 2)
	}
	stop()
	if got := w.String(); !strings.Contains(got, want) || !strings.Contains(got, "write") {
		t.Errorf("shown:\n%s", got)
	}
	if got := w.String(); !strings.HasSuffix(got, "\x1b[J") {
		t.Errorf("the bars stay: %q", got)
	}
}

// Of a run that ends soon nothing is shown, and it does not wait for bars.
func TestShortRunShowsNoBars(t *testing.T) {
	var w buffer
	showBars(&w, new(watch.Progress), time.Hour)()
	if got := w.String(); got != "" {
		t.Errorf("shown: %q", got)
	}
}

func TestLeft(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 1.4: "1s", 61: "1m1s", 1e300: "1000h0m0s"} {
		if got := left(seconds); got != want {
			t.Errorf("%v seconds: %s, want %s", seconds, got, want)
		}
	}
}

func TestClosing(t *testing.T) {
	r := &report.Report{Counters: report.Counters{InputFiles: 1, InputBytes: 2048, Rows: 1234567, OutputFiles: 1200, OutputBytes: 1024}}
	r.Run.Seconds = 1.234
	want := "1,234,567 rows: 2.0 KiB of Avro in 1 file to 1.0 KiB of Trevni in 1,200 files, in 1.23s"
	if got := closing(r); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Options.Format = "parquet"
	if got := closing(r); got != strings.Replace(want, "Trevni", "Parquet", 1) {
		t.Error(got)
	}
	r.Run.Seconds = 0.0034
	if got := closing(r); !strings.HasSuffix(got, ", in 3ms") {
		t.Error(got)
	}
	if got := closing(&report.Report{}); !strings.HasPrefix(got, "Nothing to do") {
		t.Error(got)
	}
}

func TestSizes(t *testing.T) {
	tests := []struct {
		text, shown string
		want        int64 // 0: refused
	}{
		{"64KiB", "64KiB", 65536},
		{"128MB", "122MiB", 128_000_000},
		{"1GiB", "1GiB", 1 << 30},
		{"1.5 GiB", "1.5GiB", 3 << 29},
		{"1000", "1000B", 1000},
		{"0", "", 0},
		{"-1", "", 0},
		{"12XB", "", 0},
		{"", "", 0},
		{"99999999EiB", "", 0},
	}
	for _, test := range tests {
		var n int64
		s := newSize(&n, 0)
		if err := s.Set(test.text); (err != nil) != (test.want == 0) || n != test.want || s.String() != test.shown {
			t.Errorf("%q: %d, %q, %v", test.text, n, s.String(), err)
		}
	}
	var n int
	if newIntSize(&n, 0).Set("3GiB") == nil {
		t.Error("a block size of 3 GiB was taken")
	}
}
