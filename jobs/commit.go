package jobs

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"avro2trevni/internal/storage"
)

// commit publishes the finished files all at once, the report last, as _SUCCESS.
// It enters how long the run took into the report, which is final then. After an
// error, close settles what was begun: it is undone, or, where old files
// were being replaced, ended.
func (out *output) commit(r *Report) error {
	if _, err := out.outputs(); err != nil {
		return err
	}
	r.Run.Seconds = time.Since(r.Run.Started).Seconds()
	err := out.commitAll(r)
	if err != nil {
		return fmt.Errorf("jobs: publish %s: %w", out.name, err)
	}
	out.ended = true
	return nil
}

func (out *output) commitAll(r *Report) error {
	if err := out.lock.Held(); err != nil {
		return err
	}
	if err := out.fs.SyncDir(out.temp); err != nil {
		return err
	}
	if out.single {
		return out.commitSingle()
	}
	data, err := r.JSON()
	if err != nil {
		return err
	}
	if err := storage.WriteFile(out.fs, storage.Join(out.temp, successName), data); err != nil {
		return err
	}
	if err := out.syncUp(); err != nil {
		return err
	}
	j := &journal{Run: storage.Base(out.temp), Old: out.old}
	for _, part := range out.kept {
		j.Publish = append(j.Publish, part.Path)
	}
	for i := range len(out.parts) {
		j.Publish = append(j.Publish, out.partName(i))
	}
	if err := out.writeJournal(j); err != nil {
		return err
	}
	return out.publish(j)
}

// syncUp makes the staged names safe, with the folders that lead to them.
func (out *output) syncUp() error {
	var dirs []string
	for _, dir := range folders(slices.Collect(maps.Values(out.places))) {
		dirs = append(dirs, storage.Join(out.temp, dir))
	}
	dirs = append(dirs, out.temp, storage.Dir(out.temp), out.name)
	if out.made {
		dirs = append(dirs, storage.Dir(out.name))
	}
	for _, dir := range dirs {
		if err := out.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// commitSingle renames the one file, which is one step and needs no journal.
func (out *output) commitSingle() error {
	if len(out.parts) != 1 {
		return fmt.Errorf("jobs: %d files for an output of one", len(out.parts))
	}
	if err := out.check(); err != nil {
		return err
	}
	if err := out.fs.Rename(storage.Join(out.temp, storage.Base(out.name)), out.name); err != nil {
		return err
	}
	return out.fs.SyncDir(out.dir())
}
