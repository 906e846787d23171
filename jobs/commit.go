package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// commit publishes the finished files all at once, the report last, as _SUCCESS.
// It enters how long the run took into the report, which is final then. What fails on the
// way is settled here: it is undone, if it can be, and an error; or else done again from
// where it failed, and then all is published, and no error.
func (out *output) commit(ctx context.Context, r *report.Report) error {
	if _, err := out.outputs(); err != nil {
		return err
	}
	r.Run.Seconds = time.Since(r.Run.Started).Seconds()
	err := out.commitAll(ctx, r)
	if err != nil && out.begun {
		err = out.settled(err)
	}
	if err != nil {
		return fmt.Errorf("jobs: publish %s: %w", out.name, err)
	}
	out.begun, out.ended = false, true
	return nil
}

// settled settles a publication that failed, and returns why it is not published.
func (out *output) settled(why error) error {
	published, err := out.repair()
	if err != nil {
		return errors.Join(why, err)
	}
	if !published {
		return why
	}
	out.log.Warn("publishing failed, and was then completed", "output", out.name, "error", why)
	return nil
}

func (out *output) commitAll(ctx context.Context, r *report.Report) error {
	if err := out.held(); err != nil {
		return err
	}
	if err := out.syncAbove(); err != nil {
		return err
	}
	if out.single {
		return out.commitSingle(ctx)
	}
	data, err := r.JSON()
	if err != nil {
		return err
	}
	if err := storage.WriteFile(ctx, out.fs, storage.Join(out.temp, successName), data); err != nil {
		return err
	}
	if err := out.syncUp(ctx); err != nil {
		return err
	}
	j := &journal{Run: storage.Base(out.temp), Old: out.old}
	for _, part := range out.kept {
		j.Publish = append(j.Publish, part.Path)
	}
	for i := range len(out.parts) {
		j.Publish = append(j.Publish, out.partName(i))
	}
	if err := out.writeJournal(ctx, j); err != nil {
		return err
	}
	return out.publish(ctx, j, out.temp)
}

// syncUp makes the staged names safe, with the folders that lead to them.
func (out *output) syncUp(ctx context.Context) error {
	dirs := []string{out.temp, storage.Dir(out.temp), out.name}
	for _, dir := range folders(slices.Collect(maps.Values(out.places))) {
		dirs = append(dirs, storage.Join(out.temp, dir))
	}
	return forEach(ctx, dirs, out.fs.SyncDir)
}

// atATime is how many steps of a publication that need no order are taken at a time: a disk,
// or a NameNode, does many in little more than the time of one.
const atATime = 16

// forEach does something for each name, in any order, until one fails or the context is done.
func forEach(ctx context.Context, names []string, do func(name string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atATime)
	for _, name := range names {
		g.Go(func() error {
			if err := interrupted(ctx); err != nil {
				return err
			}
			return do(name)
		})
	}
	return g.Wait()
}

// syncAbove makes the names of the folders safe that lead to the output. Those that this run
// made must be; the others as far as may be: a run that was killed may have made them.
func (out *output) syncAbove() error {
	for dir := out.dir(); dir != storage.Dir(dir); dir = storage.Dir(dir) {
		if err := out.fs.SyncDir(storage.Dir(dir)); err != nil && slices.Contains(out.made, dir) {
			return err
		}
	}
	return nil
}

// interrupted returns why a context is done, nil while it is not.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// commitSingle renames the one file, which is one step and needs no journal.
func (out *output) commitSingle(ctx context.Context) error {
	if len(out.parts) != 1 {
		return fmt.Errorf("jobs: %d files for an output of one", len(out.parts))
	}
	if err := out.fs.SyncDir(out.temp); err != nil {
		return err
	}
	if err := errors.Join(out.check(), interrupted(ctx)); err != nil {
		return err
	}
	if err := out.reveal(storage.Join(out.temp, storage.Base(out.name)), out.name); err != nil {
		return err
	}
	err := out.fs.SyncDir(out.dir())
	if err != nil {
		err = out.fs.SyncDir(out.dir()) // once more: the file is in place
	}
	if err != nil {
		return fmt.Errorf("the file is in place, but a crash of the machine might undo that: %w", err)
	}
	return nil
}
