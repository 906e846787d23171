package jobs

import (
	"errors"

	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
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
	path := storage.Join(c.out.Name, part.Path)
	f, err := c.o.FS.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := trevni.NewReader(f, part.Bytes, &trevni.ReaderOptions{Path: path})
	if err != nil {
		return false, err
	}
	ascends = true
	for i, col := range r.Header().Columns {
		if !col.Values {
			continue
		}
		blocks, err := r.Blocks(i)
		if err != nil {
			return false, err
		}
		if len(blocks) == 0 { // no rows
			continue
		}
		bad, _, err := block.CheckSorted(blocks[0].First, col.Type, 1, last[i])
		if err != nil {
			return false, err
		}
		ascends = ascends && bad == 1
		end := len(blocks) - 1
		data, err := r.ReadBlock(i, end, nil)
		if err != nil {
			return false, err
		}
		if _, last[i], err = block.CheckSorted(data, col.Type, int(blocks[end].Rows), nil); err != nil {
			return false, err
		}
	}
	return ascends, nil
}
