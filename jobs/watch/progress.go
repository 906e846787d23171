package watch

import "sync/atomic"

// Progress is the progress of a job. The job writes it; any goroutine may read it at any
// time; the zero value is ready for use. A number only grows, with three exceptions:
// WriteTotal is an estimate until the last row group is laid out; all numbers are reset
// when a job begins again because of damage; and Written falls when a file has to be
// written again.
type Progress struct {
	MapTotal   atomic.Int64 // bytes of all inputs; 0 until the plan is made
	Mapped     atomic.Int64 // bytes of the inputs that were mapped
	Rows       atomic.Int64 // rows mapped
	WriteTotal atomic.Int64 // bytes of all outputs, as far as known; 0 = unknown
	Written    atomic.Int64 // bytes written to outputs
	Files      atomic.Int64 // output files finished
	Spilled    atomic.Int64 // bytes the shuffle wrote to its temporary files

	Moved atomic.Int64 // bytes of everything else: temporary files, surveys, reading back, sorted rows
}

// Restart resets the numbers, for a job that begins again.
func (p *Progress) Restart() {
	for _, n := range []*atomic.Int64{&p.Mapped, &p.Rows, &p.WriteTotal, &p.Written, &p.Files} {
		n.Store(0)
	}
}
