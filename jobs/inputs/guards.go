package inputs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/publish"
)

// Guard says which files may be read by now, and how many.
type Guard struct {
	MinAge   time.Duration // how long ago a file must have been written; 0 for any time
	Complete bool          // whether its folder, or one above it that was given, must have a _SUCCESS
	Leave    bool          // whether others are left to a later run; else they are an error
	Most     int           // inputs; 0 for no bound
	Log      *slog.Logger
}

// Ready returns the files that may be read by now: those that are old enough, in
// folders that are complete; and how many are left to a later run.
func (g *Guard) Ready(files []listing.File, now time.Time) (ready []listing.File, left int64, err error) {
	for i := range files {
		why := g.notReady(&files[i], now)
		switch {
		case why == "":
			ready = append(ready, files[i])
		case !g.Leave:
			return nil, 0, exit.Retry("%s: %s: try again later", files[i].Path, why)
		default:
			left++
			level := slog.LevelInfo
			if files[i].ModTime.Sub(now) > g.MinAge { // else no message would ever name it
				level = slog.LevelWarn
			}
			g.Log.Log(context.Background(), level, "left to a later run", "input", files[i].Path, "why", why)
		}
	}
	return ready, left, nil
}

// notReady returns why a file must not be read yet, or "" if it may be.
func (g *Guard) notReady(f *listing.File, now time.Time) string {
	switch age := now.Sub(f.ModTime); {
	case g.MinAge == 0 || age >= g.MinAge:
	case age < 0:
		return fmt.Sprintf("its time of modification is %v in the future, --min-age is %v", -age.Round(time.Second), g.MinAge)
	default:
		return fmt.Sprintf("was written %v ago, --min-age is %v", age.Round(time.Second), g.MinAge)
	}
	if g.Complete && !f.Done {
		return fmt.Sprintf("neither its folder nor one above it that was given has a %s", publish.SuccessName)
	}
	return ""
}

// CheckCount refuses more inputs than the guard allows.
func (g *Guard) CheckCount(n int) error {
	if g.Most > 0 && n > g.Most {
		return exit.Refused("%d inputs are more than --max-inputs %d", n, g.Most)
	}
	return nil
}
