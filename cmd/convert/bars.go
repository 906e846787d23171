package main

import (
	"fmt"
	"io"
	"os"
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
//	map    [=======>        ] 131 MiB / 321 MiB   2,340,000 rows   190 MiB/s   1s left
//	write  [===>            ]  61 MiB / 128 MiB   1 files           80 MiB/s
func showBars(w io.Writer, p *jobs.Progress) (stop func()) {
	bars := mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithRefreshRate(refresh))
	mapped := addBar(bars, "map", func() string { return humanize.Comma(p.Rows.Load()) + " rows" }, true)
	written := addBar(bars, "write", func() string { return humanize.Comma(p.Files.Load()) + " files" }, false)
	update := func() {
		mapped.SetTotal(p.MapTotal.Load(), false)
		mapped.EwmaSetCurrent(p.Mapped.Load(), refresh)
		written.SetTotal(max(p.WriteTotal.Load(), p.Written.Load()), false)
		written.EwmaSetCurrent(p.Written.Load(), refresh)
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
				update()
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		mapped.Abort(true)
		written.Abort(true)
		bars.Wait()
	}
}

// addBar adds the bar of one stage; more tells what it counts beside bytes.
func addBar(bars *mpb.Progress, name string, more func() string, eta bool) *mpb.Bar {
	const window = 30 // updates that the rate is averaged over
	after := []decor.Decorator{
		decor.Counters(decor.SizeB1024(0), "% .1f / % .1f"),
		decor.Any(func(decor.Statistics) string { return "  " + more() + "  " }),
		decor.EwmaSpeed(decor.SizeB1024(0), "% .1f", window),
	}
	if eta {
		after = append(after, decor.Name("  "), decor.EwmaETA(decor.ET_STYLE_GO, window), decor.Name(" left"))
	}
	return bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(name, decor.WC{W: 6, C: decor.DindentRight})),
		mpb.AppendDecorators(after...))
}

// closing says in one line what was done.
func closing(r *jobs.Report, took time.Duration) string {
	c := &r.Counters
	if c.InputFiles == 0 {
		return "Nothing to do: no input files."
	}
	return fmt.Sprintf("%s rows: %s of Avro in %s to %s of Trevni in %s, in %s",
		humanize.Comma(c.Rows), humanize.IBytes(uint64(c.InputBytes)), files(c.InputFiles),
		humanize.IBytes(uint64(c.OutputBytes)), files(c.OutputFiles), took.Round(10*time.Millisecond))
}

func files(n int64) string {
	if n == 1 {
		return "1 file"
	}
	return humanize.Comma(n) + " files"
}
