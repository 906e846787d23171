package jobs

import (
	"avro2trevni/internal/colsum"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/reducer"
)

// What the stages hold beside what they are given, in bytes.
const (
	inputMemory = 640     // for each input, but for its names
	splitMemory = 160     // for each split: its segments, its extents, its result
	textMemory  = 4       // for each byte of the schema of the rows: it, the text that it is from, what is parsed, and a file header
	blockMemory = 72      // for each block of a row group: its layout and its descriptor
	flateMemory = 2 * mib // a deflate encoder's tables
	sumMemory   = 48      // of a split that waits to be verified, for each column
)

// needs is what the stages hold at the least, of so much memory in all.
func (j *job) needs(total int64) needs {
	block := int64(j.o.BlockSize)
	file := 2 * j.plan.Bytes
	if limit := j.o.fileLimit(); limit > 0 {
		file = min(file, limit)
	}
	n := needs{
		fixed: j.out.earlier.memory() + j.plan.inputsMemory() + 2*j.plan.meta.memory() + j.plan.programsMemory() +
			textMemory*int64(len(j.plan.SchemaText)) + splitMemory*int64(len(j.plan.Splits)),
		group:   blockMemory*(2*file/block+2*int64(len(j.program.Columns()))) + firstsMemory(j.columns)*(2*file/block+2),
		mapper:  j.program.Memory(j.mapOptions()) + j.base(total) + j.held,
		reducer: 6*block + mib + j.plan.meta.memory() + reducer.WriteMemory(1) + storage.WriterMemory(file),
		shuffle: func(workers int) int64 { return 2*mib + 4*int64(workers+1)*block },
	}
	n.mapper += flateMemory * j.deflates()
	n.reducer += flateMemory * j.deflates()
	if columns := len(j.program.Columns()); j.o.Verify {
		n.mapper += colsum.Memory(columns)
		n.mapper += int64(4*columns) * sumMemory
		n.reducer += mib
	}
	if j.order.key != nil {
		needForSort(&n, j.splitBytes())
	}
	if j.order.part != nil {
		n.fixed += partMemory * int64(j.o.MaxPartitions)
		n.mapper += countMemory * int64(j.o.MaxPartitions)
	}
	j.remoteNeeds(&n, total)
	large := j.large
	if most := j.plan.largestDefault(); most > block {
		large.row = max(large.row, most) // each row that lacks the field has it
		n.mapper += most                 // garbage of that size
		n.fixed += most
	}
	large.add(&n, j.o)
	return n
}

// inputsMemory is what the plan holds of its inputs, and their text in the report.
func (p *Plan) inputsMemory() (n int64) {
	for i := range p.Inputs {
		in := &p.Inputs[i]
		n += inputMemory + 2*int64(len(in.Path))
		if in.real != in.Path {
			n += 2 * int64(len(in.real))
		}
	}
	return n
}

// base is what a reader of any of the inputs holds.
func (j *job) base(total int64) (most int64) {
	seen := map[string]bool{}
	for i := range j.plan.Inputs {
		if c := j.plan.Inputs[i].Header.Codec; !seen[c] {
			seen[c] = true
			most = max(most, j.limits(total).Base(c))
		}
	}
	return most
}

// limits returns the readers' limits, with smaller buffers where memory is short: a
// block that does not fit them is read in windows, or takes from the read pool.
func (j *job) limits(total int64) ocf.Limits {
	l := j.o.limits()
	l.ReadBytes = int(min(max(total/256, 64*kib), mib))
	l.WindowBytes = 4 * l.ReadBytes
	return l
}
