package inputs

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/turns"

	"golang.org/x/sync/semaphore"
)

// Readers is how many headers are read at a time: more than CPUs, since they
// mostly wait for the storage.
const Readers = 16

// ReadHeaders fills in the headers of the inputs, several at a time, and notes what
// metadata they have alike; a header keeps none. Of several errors the one of the first
// input is returned, so that each run reports the same file. If damage is skipped, it is
// only recorded, in [Input].Known.
func (p *Plan) ReadHeaders(ctx context.Context) error {
	texts := interner{m: map[string]string{}, most: p.how.Limits.HeaderBytes + p.how.Memory/16}
	headers := newHeaderReader(&p.how)
	p.meta = &sharedMeta{reserved: p.how.Reserved}
	err := turns.Each(ctx, Readers, len(p.Inputs), func(ctx context.Context, i int) error {
		in := &p.Inputs[i]
		err := headers.read(ctx, in)
		switch {
		case err != nil && p.how.Skip && (Damaged(err) || errors.Is(err, ocf.ErrCodec)):
			in.Known = in.lost(err)
			return nil
		case err != nil:
			return err
		}
		p.meta.add(i, in.Header.Meta)
		in.Header.Meta = nil
		if in.Header.Schema, err = texts.intern(in.Header.Schema); err != nil {
			return exit.Refused("memory %s is too little: %w", units.Size(p.how.Memory), err)
		}
		return nil
	})
	return exit.Cause(ctx, err)
}

// headerReader reads headers of inputs, several at a time: small ones at once, large ones
// when there is room for them.
type headerReader struct {
	how  *Options
	most int64 // bytes that large ones take at a time
	room *semaphore.Weighted
}

const (
	smallHeader = 64 * units.KiB // the most bytes of a header that is read at once
	headerCost  = 3              // bytes that a header takes while it is read, for each of its own
)

func newHeaderReader(how *Options) *headerReader {
	most := max(how.Memory/8, 1)
	return &headerReader{how, most, semaphore.NewWeighted(most)}
}

// read reads an input's header.
func (h *headerReader) read(ctx context.Context, in *Input) (err error) {
	defer exit.Recover(&err, in.Path)
	f, err := in.open(h.how.FS, 0, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lim := h.how.Limits
	most := lim.HeaderBytes
	lim.HeaderBytes = min(smallHeader, most)
	in.Header, err = ocf.ReadHeader(f, in.Size, in.Path, lim)
	for lim.HeaderBytes < most && errors.Is(err, ocf.ErrLimit) {
		lim.HeaderBytes = min(16*lim.HeaderBytes, most)
		in.Header, err = h.large(ctx, f, in, lim)
	}
	return err
}

// large reads a header when there is room for one of as many bytes as the limit; one that there
// is never room for, when no other is read.
func (h *headerReader) large(ctx context.Context, f storage.File, in *Input, lim ocf.Limits) (*ocf.Header, error) {
	n := min(headerCost*lim.HeaderBytes, h.most)
	if err := h.room.Acquire(ctx, n); err != nil {
		return nil, err
	}
	defer h.room.Release(n)
	return ocf.ReadHeader(f, in.Size, in.Path, lim)
}

// interner keeps one copy of equal texts: many thousand files have one schema.
type interner struct {
	mu   sync.Mutex
	m    map[string]string
	most int64 // bytes of all, far more than can be parsed
	size int64
}

func (n *interner) intern(s string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if have, ok := n.m[s]; ok {
		return have, nil
	}
	if n.size += int64(len(s)); n.size > n.most {
		return "", fmt.Errorf("the inputs have different schemas of more than %d bytes in all", n.most)
	}
	n.m[s] = s
	return s, nil
}
