package reader

import "io"

// A source reads a file through a window that moves ahead.
type source struct {
	r     io.ReaderAt
	ahead int    // bytes that are read at once, at least, if there are as many
	room  []byte // the window's memory
	have  []byte // the window: the file's bytes from at on
	at    int64
}

// keptRoom is the largest window that is kept for what follows a large page.
const keptRoom = 8 << 20

// bytes returns the n bytes at at. Nothing from end on is read. They are valid until the next
// call, and may be written to.
func (s *source) bytes(at int64, n int, end int64) ([]byte, error) {
	b, err := s.peek(at, n, end)
	if err == nil && len(b) < n {
		err = corruptf("%d bytes, where %d are", n, len(b))
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// peek returns the n bytes at at, or those up to end if they are fewer.
func (s *source) peek(at int64, n int, end int64) ([]byte, error) {
	n = int(min(int64(n), end-at))
	if skip := at - s.at; skip >= 0 && skip <= int64(len(s.have)) && int64(len(s.have))-skip >= int64(n) {
		return s.have[skip : skip+int64(n)], nil
	}
	size := int(min(int64(max(n, s.ahead)), end-at))
	if cap(s.room) < size || cap(s.room) > keptRoom && size <= keptRoom {
		// What was read stays where it was until it is copied.
		s.room = make([]byte, size, size+roomAfter)
	}
	room := s.room[:size]
	got := 0
	if skip := at - s.at; skip >= 0 && skip < int64(len(s.have)) {
		got = copy(room, s.have[skip:])
	}
	for got < size {
		m, err := s.r.ReadAt(room[got:], at+int64(got))
		got += m
		if got < n && (m == 0 || err != nil) {
			s.have = nil
			return nil, readError(err)
		}
		if got >= n {
			break
		}
	}
	s.have, s.at = room[:got], at
	return s.have[:n], nil
}

// roomAfter is the room that buffers have after their end, for decoders that read or write a
// few bytes more than they need.
const roomAfter = 32
