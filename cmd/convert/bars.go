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
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/watch"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// refresh is how often the bars move. They come when a run has taken as long as patience:
// of a short one there is nothing to watch.
const (
	refresh  = 200 * time.Millisecond
	patience = 500 * time.Millisecond
)

// showBars shows the stages' progress on w, after a while, until stop is called, which
// takes them away.
//
//	map    [=======>        ]  131 MiB / 321 MiB  2,340,000 rows  190 MiB/s  1s left
//	write  [===>            ]  61 MiB / 128 MiB  1 files  80 MiB/s
func showBars(w io.Writer, p *watch.Progress, patience time.Duration) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-time.After(patience):
		case <-quit:
			return
		}
		b := newBars(w, p)
		defer b.clear()
		tick := time.NewTicker(refresh)
		defer tick.Stop()
		for {
			b.update()
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// bars are those of a run. They are drawn when redraw is sent something, so that they can
// be taken away at once.
type bars struct {
	all             *mpb.Progress
	redraw          chan any
	p               *watch.Progress
	mapped, written *stage
}

func newBars(w io.Writer, p *watch.Progress) *bars {
	b := &bars{p: p, redraw: make(chan any)}
	b.all = mpb.New(mpb.WithOutput(w), mpb.WithManualRefresh(b.redraw))
	b.mapped, b.written = newStage(b.all, "map", &p.Rows, "rows"), newStage(b.all, "write", &p.Files, "files")
	return b
}

func (b *bars) update() {
	b.mapped.update(b.p.Mapped.Load(), b.p.MapTotal.Load(), true)
	b.written.update(b.p.Written.Load(), b.p.WriteTotal.Load(), false)
	b.redraw <- time.Now()
}

// clear takes the bars away: a bar is shown as ended once, and then no more.
func (b *bars) clear() {
	b.mapped.bar.Abort(true)
	b.written.bar.Abort(true)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		b.mapped.bar.Wait()
		b.written.bar.Wait()
	}()
	for left := 2; left > 0; { // draws after they have ended
		select {
		case <-gone:
			left--
			b.redraw <- time.Now()
		case b.redraw <- time.Now():
		}
	}
	b.all.Wait()
}

// stage is the bar of one stage and what is written after it.
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

// update moves the bar. The rate and the remaining time count from the stage's first byte;
// while the total still grows, no time is shown.
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
func closing(r *report.Report) string {
	c, took := r.Counters, time.Duration(r.Run.Seconds*float64(time.Second))
	if took = took.Round(time.Millisecond); took > time.Second {
		took = took.Round(10 * time.Millisecond)
	}
	if m := r.Run.Compacted; m != nil {
		if m.Files == 0 {
			return "Nothing to do: no files can be merged."
		}
		return fmt.Sprintf("%s rows: %s, %s, merged into %s, %s, in %s", humanize.Comma(m.Rows),
			files(m.Files), size(m.Bytes), files(m.Into), size(m.IntoBytes), took)
	}
	if a := r.Run.Appended; a != nil {
		c.InputFiles, c.InputBytes, c.Rows, c.OutputFiles, c.OutputBytes = a.Inputs, a.Bytes, a.Rows, a.Files, a.FileBytes
	}
	if c.InputFiles == 0 {
		return "Nothing to do: no input files, or none that is new."
	}
	format := "Trevni"
	if r.Options.Format == jobs.FormatParquet {
		format = "Parquet"
	}
	return fmt.Sprintf("%s rows: %s of Avro in %s to %s of %s in %s, in %s",
		humanize.Comma(c.Rows), size(c.InputBytes), files(c.InputFiles),
		size(c.OutputBytes), format, files(c.OutputFiles), took)
}

func files(n int64) string {
	if n == 1 {
		return "1 file"
	}
	return humanize.Comma(n) + " files"
}
