package jobs

import (
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
)

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
