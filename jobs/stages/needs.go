package stages

import (
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
)

// What the stages hold beside what they are given, in bytes.
const (
	sumMemory   = 48              // of a split that waits to be verified, for each column
	remoteRead  = 256 * units.KiB // of a reader of HDFS: its connection's buffer
	RemoteWrite = 4 * units.MiB   // of a writer to it: a page on its way, and packets not acknowledged
)

// Needs returns the least memory of the stages, with readers of these limits, and with room
// for large blocks. It does not use the work's own share and limits.
func (w *Work) Needs(limits ocf.Limits, large Large) memory.Needs {
	block, parts := int64(w.BlockSize), w.Table.Memory()
	file := 2 * w.Plan.Bytes
	if w.Limit > 0 {
		file = min(file, w.Limit)
	}
	n := memory.Needs{
		Fixed:   w.Plan.Memory(),
		Group:   parts.Layout(file),
		Mapper:  w.Program.Memory(w.Table.Mapping()) + parts.Encoder + w.base(limits),
		Reducer: units.MiB + w.Plan.MetaMemory() + storage.WriterMemory(file) + parts.Joiner,
		Shuffle: func(workers int) int64 { return 2*units.MiB + 4*int64(workers+1)*block },
		Write:   reducer.WriteMemory,
	}
	if w.Verify {
		n.Mapper += int64(4*len(w.Table.Columns())) * sumMemory
		n.Reducer += parts.Sums
	}
	if storage.Remote(w.Output) {
		n.Reducer += RemoteWrite
	}
	if most := w.Plan.LargestDefault(); most > block {
		large.row = max(large.row, most) // each row that lacks the field has it
		n.Mapper += most                 // garbage of that size
		n.Fixed += most
	}
	large.add(&n, w.Verify || len(w.Table.Index()) > 0 || w.Table.Watches())
	return n
}

// base is what a reader of any of the inputs holds.
func (w *Work) base(limits ocf.Limits) (most int64) {
	seen := map[string]bool{}
	ahead := int64(0)
	for i := range w.Plan.Inputs {
		in := &w.Plan.Inputs[i]
		if c := in.Header.Codec; !seen[c] {
			seen[c] = true
			most = max(most, limits.Base(c))
		}
		if storage.Remote(in.Path) {
			ahead = remoteRead + int64(limits.ReadBytes) // read ahead
		}
	}
	return most + ahead
}
