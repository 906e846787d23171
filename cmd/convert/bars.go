package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"avro2trevni/jobs"
)

// isTerminal reports whether somebody may be looking at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// refresh is how often the bars move.
const refresh = 200 * time.Millisecond

// showBars shows the stages' progress on w until stop is called.
//
//	map    [=======>        ]  131 MiB / 321 MiB  2,340,000 rows  190 MiB/s  1s left
//	write  [===>            ]  61 MiB / 128 MiB  1 files  80 MiB/s
func showBars(w io.Writer, p *jobs.Progress) (stop func()) {
	bars := mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithRefreshRate(refresh))
	mapped, written := newStage(bars, "map", &p.Rows, "rows"), newStage(bars, "write", &p.Files, "files")
	update := func() {
		mapped.update(p.Mapped.Load(), p.MapTotal.Load(), true)
		written.update(p.Written.Load(), p.WriteTotal.Load(), false)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(refresh)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				update()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		mapped.bar.Abort(true)
		written.bar.Abort(true)
		bars.Wait()
	}
}

// stage is the bar of one stage and what is written behind it.
type stage struct {
	bar     *mpb.Bar
	count   *atomic.Int64 // what the stage counts beside bytes
	unit    string
	started time.Time // when the first byte was seen, or just before
	seen    time.Time // the last update
	ended   bool
	text    atomic.Pointer[string]
}

func newStage(bars *mpb.Progress, name string, count *atomic.Int64, unit string) *stage {
	s := &stage{count: count, unit: unit}
	s.text.Store(new(string))
	s.bar = bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(name, decor.WC{W: 6, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return "  " + *s.text.Load() })))
	return s
}

// update moves the bar. The rate is that since the stage's first byte, as the time
// left is; while the total only grows, no time is told.
func (s *stage) update(done, total int64, known bool) {
	if s.ended {
		return // or the rate would sink
	}
	s.ended = known && done > 0 && done >= total
	now := time.Now()
	if done > 0 && s.started.IsZero() {
		s.started = orNow(s.seen, now)
	}
	s.seen = now
	total = max(total, done)
	s.bar.SetTotal(total, false)
	s.bar.SetCurrent(done)
	text := fmt.Sprintf("%s / %s  %s %s", size(done), size(total), humanize.Comma(s.count.Load()), s.unit)
	if took := now.Sub(s.started).Seconds(); done > 0 && took > 0 {
		rate := float64(done) / took
		text += "  " + size(int64(rate)) + "/s"
		if known {
			text += "  " + left(float64(total-done)/rate) + " left"
		}
	}
	s.text.Store(&text)
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// left returns seconds as people read them.
func left(seconds float64) string {
	const most = 1000 * 3600
	return time.Duration(min(seconds, most) * float64(time.Second)).Round(time.Second).String()
}

func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// closing says in one line what was done.
func closing(r *jobs.Report, took time.Duration) string {
	c := r.Counters
	if m := r.Run.Compacted; m != nil {
		if m.Files == 0 {
			return "Nothing to do: no neighbouring files are under half full."
		}
		return fmt.Sprintf("%s rows: %s, %s, merged into %s, %s, in %s", humanize.Comma(m.Rows),
			files(m.Files), size(m.Bytes), files(m.Into), size(m.IntoBytes), took.Round(10*time.Millisecond))
	}
	if a := r.Run.Appended; a != nil {
		c.InputFiles, c.InputBytes, c.Rows, c.OutputFiles, c.OutputBytes = a.Inputs, a.Bytes, a.Rows, a.Files, a.FileBytes
	}
	if c.InputFiles == 0 {
		return "Nothing to do: no input files, or none that is new."
	}
	return fmt.Sprintf("%s rows: %s of Avro in %s to %s of Trevni in %s, in %s",
		humanize.Comma(c.Rows), size(c.InputBytes), files(c.InputFiles),
		size(c.OutputBytes), files(c.OutputFiles), took.Round(10*time.Millisecond))
}

func files(n int64) string {
	if n == 1 {
		return "1 file"
	}
	return humanize.Comma(n) + " files"
}
