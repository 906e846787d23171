package publish

import (
	"errors"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// heeds is which conditions a storage heeds, as far as requests one after another show it.
type heeds struct {
	ignored []string // what it does not heed, in words, of what no run can do without
	deletes bool     // whether it heeds the condition of a deletion
}

// probe asks the storage, with the lock held, whether it heeds conditions: many that are
// called compatible with S3 accept them and do as if there were none. It uses a name in the
// run's own notes.
//
//	write, write if none is there          refused?
//	replace the right version              done?
//	replace the wrong version              refused?
//	delete the wrong version               refused?
//	end an upload if none is there         refused?
func (s *staging) probe() (h heeds, err error) {
	name := storage.Join(s.notes, "probe")
	is, err := s.o.Swap(name, storage.None, []byte("first "+Random()))
	if err != nil {
		return h, err
	}
	was := is
	steps := []struct {
		what string
		do   func() error
		want error // nil, or ErrChanged
	}{
		{"a write to a name that must be free", func() error { _, err := s.o.Swap(name, storage.None, []byte("none "+Random())); return err }, storage.ErrChanged},
		{"the replacing of a version that is there", func() error { _, err := s.o.Swap(name, is, []byte("second "+Random())); return err }, nil},
		{"the replacing of a version that is not there", func() error { _, err := s.o.Swap(name, was, []byte("third "+Random())); return err }, storage.ErrChanged},
		{"the end of an upload to a name that must be free", func() error { return s.probeUpload(name, storage.None) }, storage.ErrChanged},
		{"the end of an upload in place of a version that is not there", func() error { return s.probeUpload(name, was) }, storage.ErrChanged},
	}
	for _, step := range steps {
		switch err := step.do(); {
		case err != nil && !errors.Is(err, storage.ErrChanged):
			return h, err
		case (err == nil) != (step.want == nil):
			h.ignored = append(h.ignored, step.what)
			if _, is, err = s.o.Load(name, maxLease); err != nil { // the next steps are of what is there now
				return h, err
			}
		}
	}
	switch err := s.o.Delete(name, was); {
	case err == nil:
	case errors.Is(err, storage.ErrChanged):
		h.deletes = true
	default:
		return h, err
	}
	return h, s.o.Delete(name, storage.Any)
}

// probeUpload ends an upload to a name, if it can.
func (s *staging) probeUpload(name string, old storage.Version) error {
	f, err := s.stage(name, 0)
	if err != nil {
		return err
	}
	if err = f.Sync(); err == nil {
		err = s.o.Publish(f.Ticket(), old)
	}
	return errors.Join(err, s.drop(f))
}

// refused is why a storage is no good for several runs.
func (s *staging) refused(h heeds) error {
	return exit.Refused("%s: this storage ignores conditions, or gets them wrong: %s. Two runs could not see each other, and the loss of a file would go unnoticed. "+
		"Use storage that heeds conditional writes; or, if something else sees to it that no two runs write an output at the same time, --s3-lock external",
		s.Name, strings.Join(h.ignored, "; "))
}
