package streaming

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// feed hands the runs of the data region to those whose turn it is. The one whose run
// comes next reads it, into its own memory; the others wait.
//
//	by column   column 0: file 0 file 0 file 1 | column 1: file 0 file 1 file 1 | ...
//	by split    split 0, of file 0: column 0 column 1 | split 1, of file 1: column 0 ...
//	                                 ^turn
type feed struct {
	mu   sync.Mutex
	cond *sync.Cond
	p    *Partition
	err  error // what failed; nothing is given any more

	column int   // whose turn it is; len(columns) at the end
	split  int   // and of which split, if the runs come by split
	next   []int // of each column, the first run that did not come

	key  Key // of the record that was read last, if not eof
	size int
	eof  bool
}

func (f *feed) init(p *Partition, k Key, size int, eof bool) {
	f.p, f.key, f.size, f.eof = p, k, size, eof
	f.split, f.next = p.o.First, make([]int, len(p.columns))
	f.cond = sync.NewCond(&f.mu)
	f.settle()
}

// settle moves the turn to a run that streams, from the present one on.
func (f *feed) settle() {
	bySplit := f.p.o.Order == BySplit
	for f.column < len(f.next) {
		all, n := f.p.columns[f.column].entries, &f.next[f.column]
		for ; *n < len(all) && (!bySplit || all[*n].row.Split() == f.split); *n++ {
			if all[*n].at == streams {
				return
			}
		}
		f.column++
		if bySplit && f.column == len(f.next) && f.split+1 < f.p.o.End {
			f.column, f.split = 0, f.split+1
		}
	}
}

// turn returns the run whose turn it is.
func (f *feed) turn() *entry { return &f.p.columns[f.column].entries[f.next[f.column]] }

// take appends the value of a run to dst, when it is its turn.
func (f *feed) take(dst []byte, column, run int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.err == nil && (f.column != column || f.next[column] != run) {
		if f.next[column] > run {
			return dst, recordsError("column %d: the run at row %v was taken before", column, f.p.columns[column].entries[run].row)
		}
		f.cond.Wait()
	}
	if f.err != nil {
		return dst, f.err
	}
	dst, err := f.read(dst)
	if err != nil {
		f.err = err
	}
	f.cond.Broadcast()
	return dst, err
}

// read reads the value of the run whose turn it is, and moves the turn on.
func (f *feed) read(dst []byte) ([]byte, error) {
	if err := f.check(f.turn()); err != nil {
		return dst, err
	}
	dst, err := f.p.r.Value(dst)
	if err != nil {
		return dst, err
	}
	f.key, f.size, err = f.p.r.Next()
	if errors.Is(err, io.EOF) {
		f.eof, err = true, nil
	}
	f.next[f.column]++
	f.settle()
	return dst, err
}

// check compares the record that came with the run that is to come.
func (f *feed) check(e *entry) error {
	want := f.p.o.Order.RunKey(f.p.o.Key, uint32(f.column), e.row)
	switch {
	case f.eof:
		return recordsError("column %d: the run at row %v is missing, and all after it", f.column, e.row)
	case f.key != want:
		return recordsError("column %d: the run at row %v is missing: %s came", f.column, e.row, f.came())
	case f.size != int(e.size):
		return recordsError("column %d: the run at row %v has %d bytes, its index says %d", f.column, e.row, f.size, e.size)
	}
	return nil
}

// came describes the record that was read last.
func (f *feed) came() string {
	k := f.key
	switch {
	case k.Partition != f.p.o.Key:
		return "a record of another partition"
	case k.Major == 0:
		return "a record of the early region"
	}
	column, row := f.p.o.Order.run(k)
	return fmt.Sprintf("that of column %d at row %v", column, row)
}

// Fail ends all waiting for data with an error, for when a file that others wait for
// is not going to take its runs.
func (p *Partition) Fail(err error) {
	p.feed.mu.Lock()
	defer p.feed.mu.Unlock()
	if p.feed.err == nil {
		p.feed.err = err
	}
	p.feed.cond.Broadcast()
}

// End checks that all runs came and were taken, and that there is nothing more.
func (p *Partition) End() error {
	f := &p.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return f.err
	case f.column < len(p.columns):
		return recordsError("column %d: the run at row %v was not taken", f.column, f.turn().row)
	case !f.eof:
		return recordsError("after the last run came %s", f.came())
	}
	return nil
}
