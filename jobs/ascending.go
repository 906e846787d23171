package jobs

import (
	"errors"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// ascending divides groups of files where a column with first values descends from one
// file to the next: in a file it must ascend, and each run that appends begins anew. A
// file that is alone then is left out.
func (c *compaction) ascending(groups [][]report.Output) (all [][]report.Output, err error) {
	for _, group := range groups {
		last, from := map[int][]byte{}, 0
		for i, part := range group {
			goesOn, err := c.goesOn(part, last)
			if err != nil {
				return nil, err
			}
			if !goesOn {
				all, from = appendSeveral(all, group[from:i]), i
			}
		}
		all = appendSeveral(all, group[from:])
	}
	return all, nil
}

func appendSeveral(all [][]report.Output, group []report.Output) [][]report.Output {
	if len(group) < 2 {
		return all
	}
	return append(all, group)
}

// goesOn reports whether no first value of a file is less than the last one before it of
// its column, and puts the file's last values in the place of those.
func (c *compaction) goesOn(part report.Output, last map[int][]byte) (ascends bool, err error) {
	f, err := inputs.OpenFinished(c.o.FS, storage.Join(c.out.Name, part.Path))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.GoesOn(last)
}
