package watch

import "sync/atomic"

// Progress is how far a job is. The job writes, anybody may read at any time; the
// zero value is ready. A number only grows, but for WriteTotal, which is an
// estimate until the last row group is laid out, when a job begins anew because it
// came upon damage, and for Written when a file has to be written again.
type Progress struct {
	MapTotal   atomic.Int64 // bytes of all inputs; 0 until the plan is made
	Mapped     atomic.Int64 // bytes of the inputs that were mapped
	Rows       atomic.Int64 // rows mapped
	WriteTotal atomic.Int64 // bytes of all outputs as far as is known; 0 = unknown
	Written    atomic.Int64 // bytes written to outputs
	Files      atomic.Int64 // output files finished
	Spilled    atomic.Int64 // bytes the shuffle wrote to its temporary files

	Moved atomic.Int64 // bytes of what has no number of its own: temporary files, surveys, reading back, sorted rows
}

// Restart takes back what was counted, for a job that begins anew.
func (p *Progress) Restart() {
	for _, n := range []*atomic.Int64{&p.Mapped, &p.Rows, &p.WriteTotal, &p.Written, &p.Files} {
		n.Store(0)
	}
}
