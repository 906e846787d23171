package jobs

import (
	"context"
	"errors"
	"sync"

	"avro2trevni/internal/ocf"
)

// headerReaders is how many headers are read at a time: more than CPUs, since they
// mostly wait for the storage.
const headerReaders = 16

// readHeaders fills in the headers of the inputs, several at a time. Of several
// errors the one of the first input is returned, so that a run is told of the same
// file each time. Where damage is skipped, it is only noted.
func readHeaders(ctx context.Context, o *Options, inputs []Input) error {
	texts := interner{m: map[string]string{}}
	err := each(ctx, headerReaders, len(inputs), func(_ context.Context, i int) error {
		err := readHeader(o, &inputs[i])
		switch {
		case err != nil && o.skips() && (damaged(err) || errors.Is(err, ocf.ErrCodec)):
			inputs[i].survey = lostHeader(&inputs[i], err)
			return nil
		case err != nil:
			return err
		}
		inputs[i].Header.Schema = texts.intern(inputs[i].Header.Schema)
		return nil
	})
	return cause(ctx, err)
}

func readHeader(o *Options, in *Input) (err error) {
	defer recoverAs(&err, in.Path)
	f, err := o.FS.Open(in.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := in.same(info); err != nil {
		return err
	}
	in.Header, err = ocf.ReadHeader(f, in.Size, in.Path, o.limits())
	return err
}

// limits returns what is asked of the reader of Avro files.
func (o *Options) limits() ocf.Limits {
	return ocf.Limits{HeaderBytes: o.MaxHeader, BlockBytes: o.MaxBlock}
}

// interner keeps one copy of equal texts: many thousand files have one schema.
type interner struct {
	mu sync.Mutex
	m  map[string]string
}

func (n *interner) intern(s string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if have, ok := n.m[s]; ok {
		return have
	}
	n.m[s] = s
	return s
}
