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

// Commit publishes the finished files all at once, and the manifest last, as _SUCCESS. It
// calls manifest when everything else is ready, and not for an output of one file. If a
// step fails, Commit undoes the publication, if it can, and returns the error; otherwise it
// repeats the publication from the failed step, and returns no error if that succeeds.
func (out *Output) Commit(ctx context.Context, manifest func() ([]byte, error)) error {
	if _, err := out.Outputs(); err != nil {
		return err
	}
	if err := out.way.commit(ctx, manifest); err != nil {
		return fmt.Errorf("jobs: publish %s: %w", out.Name, err)
	}
	out.ended = true
	return nil
}

// commit implements [way].
func (out *renaming) commit(ctx context.Context, manifest func() ([]byte, error)) error {
	err := out.commitAll(ctx, manifest)
	if err != nil && out.begun {
		err = out.settled(err)
	}
	if err == nil {
		out.begun = false
	}
	return err
}

// settled completes or undoes a publication that failed, and returns why it is not
// published.
func (out *renaming) settled(why error) error {
	published, err := out.repair()
	if err != nil {
		return errors.Join(why, err)
	}
	if !published {
		return why
	}
	out.log.Warn("publishing failed, and was then completed", "output", out.Name, "error", why)
	return nil
}

func (out *renaming) commitAll(ctx context.Context, manifest func() ([]byte, error)) error {
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
	if err := out.enterAttached(j); err != nil {
		return err
	}
	if err := out.writeJournal(ctx, j); err != nil {
		return err
	}
	return out.publish(ctx, j, out.temp)
}

// syncUp syncs the staged names, and the folders that lead to them.
func (out *renaming) syncUp(ctx context.Context) error {
	dirs := []string{out.temp, storage.Dir(out.temp), out.Name}
	for _, dir := range Folders(slices.Collect(maps.Values(out.places))) {
		dirs = append(dirs, storage.Join(out.temp, dir))
	}
	return forEach(ctx, dirs, out.fs.SyncDir)
}

// atATime is the number of concurrent steps of a publication that need no order: a disk, or
// a NameNode, does many in little more than the time of one.
const atATime = 16

// forEach calls do for each name, in any order, until one call fails or the context is
// done.
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

// syncAbove syncs the names of the folders that lead to the output. It returns an error for
// folders that this run made. It also tries the others, because a run that was killed may
// have made them.
func (out *renaming) syncAbove() error {
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
func (out *renaming) commitSingle(ctx context.Context) error {
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
