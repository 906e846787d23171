package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/storage"
)

// Commit publishes the finished files all at once, the manifest last, as _SUCCESS; it is
// asked for when all else is ready, and not for an output of one file. What fails on the
// way is settled here: it is undone, if it can be, and an error; or else done again from
// where it failed, and then all is published, and no error.
func (out *Output) Commit(ctx context.Context, manifest func() ([]byte, error)) error {
	if _, err := out.Outputs(); err != nil {
		return err
	}
	err := out.commitAll(ctx, manifest)
	if err != nil && out.begun {
		err = out.settled(err)
	}
	if err != nil {
		return fmt.Errorf("jobs: publish %s: %w", out.Name, err)
	}
	out.begun, out.ended = false, true
	return nil
}

// settled settles a publication that failed, and returns why it is not published.
func (out *Output) settled(why error) error {
	published, err := out.Repair()
	if err != nil {
		return errors.Join(why, err)
	}
	if !published {
		return why
	}
	out.log.Warn("publishing failed, and was then completed", "output", out.Name, "error", why)
	return nil
}

func (out *Output) commitAll(ctx context.Context, manifest func() ([]byte, error)) error {
	if err := out.held(); err != nil {
		return err
	}
	if err := out.syncAbove(); err != nil {
		return err
	}
	if out.single {
		return out.commitSingle(ctx)
	}
	data, err := manifest()
	if err != nil {
		return err
	}
	if err := storage.WriteFile(ctx, out.fs, storage.Join(out.temp, SuccessName), data); err != nil {
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
		j.Publish = append(j.Publish, out.PartName(i))
	}
	if err := out.writeJournal(ctx, j); err != nil {
		return err
	}
	return out.publish(ctx, j, out.temp)
}

// syncUp makes the staged names safe, with the folders that lead to them.
func (out *Output) syncUp(ctx context.Context) error {
	dirs := []string{out.temp, storage.Dir(out.temp), out.Name}
	for _, dir := range Folders(slices.Collect(maps.Values(out.places))) {
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
func (out *Output) syncAbove() error {
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
func (out *Output) commitSingle(ctx context.Context) error {
	if len(out.parts) != 1 {
		return fmt.Errorf("jobs: %d files for an output of one", len(out.parts))
	}
	if err := out.fs.SyncDir(out.temp); err != nil {
		return err
	}
	if err := errors.Join(out.Check(), interrupted(ctx)); err != nil {
		return err
	}
	if err := out.reveal(storage.Join(out.temp, storage.Base(out.Name)), out.Name); err != nil {
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
