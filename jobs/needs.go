package jobs

import (
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
)

// What the stages hold beside what they are given, in bytes.
const (
	flateMemory = 2 * units.MiB // a deflate encoder's tables
	sumMemory   = 48            // of a split that waits to be verified, for each column
)

// needs is what the stages hold at the least, of so much memory in all.
func (j *job) needs(total int64) memory.Needs {
	block := int64(j.o.BlockSize)
	file := 2 * j.plan.Bytes
	if limit := j.o.fileLimit(); limit > 0 {
		file = min(file, limit)
	}
	n := memory.Needs{
		Fixed:   j.earlier.Memory() + j.plan.Memory(),
		Group:   j.table.block*(2*file/block+2*int64(len(j.table.columns))) + j.table.firstsMemory()*(2*file/block+2),
		Mapper:  j.program.Memory(j.table.mapping()) + j.base(total) + j.held,
		Reducer: 6*block + units.MiB + j.plan.MetaMemory() + reducer.WriteMemory(1) + storage.WriterMemory(file),
		Shuffle: func(workers int) int64 { return 2*units.MiB + 4*int64(workers+1)*block },
	}
	n.Mapper += flateMemory * j.table.deflates()
	n.Reducer += flateMemory * j.table.deflates()
	if columns := len(j.table.columns); j.o.Verify {
		n.Mapper += format.SumMemory(columns)
		n.Mapper += int64(4*columns) * sumMemory
		n.Reducer += units.MiB
	}
	if j.order != nil {
		j.order.needs(&n)
	}
	j.remoteNeeds(&n, total)
	large := j.large
	if most := j.plan.LargestDefault(); most > block {
		large.row = max(large.row, most) // each row that lacks the field has it
		n.Mapper += most                 // garbage of that size
		n.Fixed += most
	}
	large.add(&n, j.o)
	return n
}

// base is what a reader of any of the inputs holds.
func (j *job) base(total int64) (most int64) {
	seen := map[string]bool{}
	for i := range j.plan.Inputs {
		if c := j.plan.Inputs[i].Header.Codec; !seen[c] {
			seen[c] = true
			most = max(most, j.o.limits(total).Base(c))
		}
	}
	return most
}

// limits returns the readers' limits, with smaller buffers where memory is short: a
// block that does not fit them is read in windows, or takes from the read pool.
func (o *Options) limits(total int64) ocf.Limits {
	l := ocf.Limits{HeaderBytes: o.MaxHeader, BlockBytes: o.MaxBlock}
	l.ReadBytes = int(min(max(total/256, 64*units.KiB), units.MiB))
	l.WindowBytes = 4 * l.ReadBytes
	return l
}

// tempNeed estimates the most bytes in temporary files at a time: of what is mapped and
// not yet written, what memory does not hold. Rows are taken to need as much there as
// in the inputs.
func (j *job) tempNeed() int64 {
	need := pending(j.plan, j.o, j.memory.Workers)
	return max(0, need-j.memory.Shuffle)
}

// pending estimates the bytes that are mapped and not yet written, at the most: all, or
// the files being made, the next one, and the splits being mapped.
func pending(p *inputs.Plan, o *Options, workers int) int64 {
	limit := o.fileLimit()
	if len(o.SortBy) > 0 || o.PartitionBy != "" {
		return 2 * p.Bytes // all rows, beside the files being made
	}
	if limit == 0 || limit > p.Bytes {
		return p.Bytes
	}
	return min(p.Bytes, limit*int64(min(workers, memory.MaxGroups)+1)+2*int64(workers)*p.SplitSize)
}
