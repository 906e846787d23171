package storage

import (
	"io/fs"
	"time"
)

// Described is what is known of a file before it is opened.
type Described struct {
	Size    int64
	ModTime time.Time
	Version Version // None: nothing is known
	// From and To are the range that is going to be read from its start to its end, so that
	// the storage can request it at once; no range if they are equal.
	From, To int64
}

// Opener is storage that opens a file which it has described without a request.
type Opener interface {
	// OpenAs opens a file. A read fails with [ErrChanged] if the file has another version
	// than described, and with fs.ErrNotExist if there is none.
	OpenAs(name string, d Described) (File, error)
}

// OpenAs opens a file that the storage has described: by its [Opener], or, if it is none or
// gave the file no version, as [FS.Open] does.
func OpenAs(f FS, name string, d Described) (File, error) {
	if r, ok := f.(*Router); ok {
		var err error
		if f, err = r.of(name); err != nil {
			return nil, err
		}
	}
	if o, ok := f.(Opener); ok && d.Version != None {
		return o.OpenAs(name, d)
	}
	return f.Open(name)
}

// Known returns what a description says of a file that is read in a range.
func Known(info fs.FileInfo, from, to int64) Described {
	return Described{Size: info.Size(), ModTime: info.ModTime(), Version: VersionOf(info), From: from, To: to}
}
