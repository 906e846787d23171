package inputs

import (
	"context"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/turns"
)

// sharedMeta is the metadata that headers have alike. It holds no more than the largest of
// them, however many there are.
type sharedMeta struct {
	mu      sync.Mutex
	headers int             // that were added
	first   int             // the least input of those; its order is that of the metadata
	all     []ocf.Meta      // what all have alike
	differ  map[string]bool // keys of what they do not
	same    bool            // no header differs from the others, nor in its order

	reserved func(key string) bool // whether a key is left out
}

// Bounds of what is reported about metadata that differs between inputs.
const (
	mostDiffer    = 1000 // keys, the first in order
	longestDiffer = 1024 // bytes of a key
)

// add adds the metadata of an input's header, in any order of inputs.
func (s *sharedMeta) add(input int, meta []ocf.Meta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	meta = slices.DeleteFunc(meta, func(m ocf.Meta) bool { return s.reserved(m.Key) })
	if s.headers++; s.headers == 1 {
		s.first, s.all, s.same, s.differ = input, meta, true, map[string]bool{}
		return
	}
	if slices.EqualFunc(s.all, meta, equalMeta) {
		s.first = min(s.first, input)
		return
	}
	s.same = false
	from, other := s.all, meta
	if input < s.first {
		s.first, from, other = input, meta, s.all
	}
	theirs := map[string]ocf.Meta{}
	for _, m := range other {
		theirs[m.Key] = m
	}
	var alike []ocf.Meta
	for _, m := range from {
		if o, ok := theirs[m.Key]; ok && equalMeta(m, o) {
			alike = append(alike, m)
			delete(theirs, m.Key)
		} else {
			s.differs(m.Key)
		}
	}
	for key := range theirs {
		s.differs(key)
	}
	s.all = alike
}

func equalMeta(a, b ocf.Meta) bool { return a.Key == b.Key && string(a.Value) == string(b.Value) }

// differs notes a key of what the inputs do not have alike.
func (s *sharedMeta) differs(key string) {
	if len(key) > longestDiffer {
		return
	}
	if s.differ[key] = true; len(s.differ) > 2*mostDiffer {
		for _, late := range slices.Sorted(maps.Keys(s.differ))[mostDiffer:] {
			delete(s.differ, late)
		}
	}
}

// memory is the bytes that it holds, and that a file's header does of it.
func (s *sharedMeta) memory() (n int64) {
	if s == nil {
		return 0
	}
	for _, m := range s.all {
		n += int64(len(m.Key) + len(m.Value) + 64)
	}
	return n
}

// ShareMeta reads the headers again if inputs were left out since they were read, and the
// others may have more alike without them.
func (p *Plan) ShareMeta(ctx context.Context) error {
	if p.meta == nil || p.meta.same || p.meta.headers == len(p.Inputs) {
		return nil
	}
	p.meta = &sharedMeta{reserved: p.how.Reserved}
	headers := newHeaderReader(&p.how)
	return exit.Cause(ctx, turns.Each(ctx, Readers, len(p.Inputs), func(ctx context.Context, i int) error {
		in := p.Inputs[i] // a copy: its header stays as it is
		err := headers.read(ctx, &in)
		if err == nil {
			p.meta.add(i, in.Header.Meta)
		}
		return err
	}))
}

// Carried returns the metadata of the inputs that goes along into the files: what all of
// them have alike, and is neither the formats' own nor among the user's, which has these keys;
// and the keys of what does not, because the inputs differ.
func (p *Plan) Carried(users []string) (carried []ocf.Meta, dropped []string) {
	if p.meta == nil {
		return nil, nil
	}
	differ := maps.Clone(p.meta.differ)
	for _, key := range users {
		delete(differ, key)
	}
	for _, m := range p.meta.all {
		switch {
		case slices.Contains(users, m.Key):
		case m.Key != "" && utf8.ValidString(m.Key):
			carried = append(carried, m)
		default:
			differ[m.Key] = true
		}
	}
	dropped = slices.Sorted(maps.Keys(differ))
	return carried, dropped[:min(len(dropped), mostDiffer)]
}

// MetaMemory is the bytes that the shared metadata holds, and that a file's header does of it.
func (p *Plan) MetaMemory() int64 { return p.meta.memory() }
