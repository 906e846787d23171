package jobs

import (
	"errors"
	"fmt"

	"avro2trevni/internal/ocf"
)

// largeBlock is what the largest block takes of those that did not fit the memory as it
// was divided. The zero value is that of none.
//
// Nobody knows how large blocks are before they are read, and most are small. So a job
// begins with little room for large ones; where that does not do, it divides its memory
// anew, among fewer workers if need be, and begins again.
type largeBlock struct {
	read int64 // bytes that its reader needs, past its base
	row  int64 // the most bytes of a row of it, if it was that which did not fit
}

// makeRoom divides the memory anew if it was a large block that a conversion failed for,
// so that it can be tried again. Else it returns the failure; or what would do
// ([ExitRefused]).
func (j *job) makeRoom(failed error) error {
	var m *ocf.MemoryError
	if !errors.As(failed, &m) || m.Need <= j.large.read {
		return failed
	}
	j.large = largeBlock{m.Need, max(m.Row, j.large.row)}
	what := "a block"
	if e := (*ocf.Error)(nil); errors.As(failed, &e) {
		what = fmt.Sprintf("the block at %d of %s", e.Block, e.Path)
	}
	if err := j.divide(what); err != nil {
		return err
	}
	j.o.Log.Info("a block is too large for the memory as it is divided: beginning again", "block", what, "division", j.memory)
	if err := j.out.discard(); err != nil {
		return err
	}
	j.o.Progress.restart()
	return nil
}

// add adds what the stages hold while they have the block, or the row, in hand: its
// reader; its column's run in the shuffle, encoded; and what writes it to a file, and
// decodes it to index or verify it.
func (l largeBlock) add(n *needs, o *Options) {
	n.read = l.read
	if l.row == 0 {
		return
	}
	encoded := l.row + l.row/6 + 64*kib
	n.reducer += encoded
	if o.Verify || len(o.Index) > 0 {
		n.reducer += l.row
	}
	small := n.shuffle
	n.shuffle = func(workers int) int64 { return small(workers) + encoded + encoded/8 }
}
