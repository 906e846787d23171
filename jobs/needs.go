package jobs

import (
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
)

// What the stages hold beside what they are given, in bytes.
const (
	flateMemory = 2 * units.MiB   // a deflate encoder's tables
	sumMemory   = 48              // of a split that waits to be verified, for each column
	remoteRead  = 256 * units.KiB // of a reader of HDFS: its connection's buffer
	remoteWrite = 4 * units.MiB   // of a writer to it: a page on its way, and packets not acknowledged
)

// needs returns what the stages hold at the least, with readers of these limits, and with room
// for large blocks. The work's own share and limits are not asked.
func (w *Work) needs(limits ocf.Limits, large largeBlock) memory.Needs {
	t, block := w.Table, int64(w.Table.blockSize)
	file := 2 * w.Plan.Bytes
	if t.limit > 0 {
		file = min(file, t.limit)
	}
	n := memory.Needs{
		Fixed:   w.Plan.Memory(),
		Group:   t.block*(2*file/block+2*int64(len(t.columns))) + t.firstsMemory()*(2*file/block+2),
		Mapper:  w.Program.Memory(t.mapping()) + w.base(limits) + flateMemory*t.deflates(),
		Reducer: 6*block + units.MiB + w.Plan.MetaMemory() + reducer.WriteMemory(1) + storage.WriterMemory(file) + flateMemory*t.deflates(),
		Shuffle: func(workers int) int64 { return 2*units.MiB + 4*int64(workers+1)*block },
	}
	if w.Verify {
		n.Mapper += format.SumMemory(len(t.columns)) + int64(4*len(t.columns))*sumMemory
		n.Reducer += units.MiB
	}
	if storage.Remote(w.Output) {
		n.Reducer += remoteWrite
	}
	if most := w.Plan.LargestDefault(); most > block {
		large.row = max(large.row, most) // each row that lacks the field has it
		n.Mapper += most                 // garbage of that size
		n.Fixed += most
	}
	large.add(&n, w.Verify || t.indexed())
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
