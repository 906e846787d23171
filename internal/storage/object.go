package storage

import (
	"errors"
	"io"
	"io/fs"
)

// Object storage has no Rename: a file appears under its final name, whole, at the end of
// an upload. The interfaces of this file are what a job needs to publish there. The caller
// has the protocol (lock, journal, repair: package publish); the storage has the requests,
// their retries, and the answer to one question: did it happen?
//
//	Stage ---> Write ... Sync --> Ticket       a pending upload: invisible, outlives the process
//	             Publish(ticket) ----> the file stands under its name
//	             Withdraw(ticket) ---> it never will
//	             Retract(ticket) ----> it does no more
//
// # What every call keeps to
//
// Names are those of [FS]: whole, with s3://bucket. Several goroutines may make calls at the
// same time, also of one name. A process may stop, or be stopped, between any two requests,
// and continue after another process has done anything at all.
//
// A condition is decided by the storage, in the request that changes something. A call must
// not look first and then change: in between another process acts, and the caller could not
// find out that a storage ignores conditions.
//
// A call repeats requests that failed in a way that passes (503, a reset, 409 of a
// conflict) before it returns an error. If an answer was lost, the repeated request may meet
// its own effect; the call then reads back and returns what is true now. So nil and
// [ErrChanged] are facts. After any other error the caller does not know whether the change
// was made, now or later; each call may be made again, with the same arguments, and by
// another process.

// Errors of object storage, in addition to those of [FS].
var (
	// ErrChanged says that a condition does not hold: the object has another version than
	// the caller said, or there is one where none was expected, or none where there was
	// one. The call changed nothing.
	ErrChanged = errors.New("storage: changed by another")
	// ErrGone says that a staged file can never be published: its upload was withdrawn, by
	// a holder of the ticket, or by the storage's rule for old uploads. No file of the
	// ticket stands under the name.
	ErrGone = errors.New("storage: the staged file is gone")
)

// Version identifies the content of an object: an ETag, with its quotes if it has some. Two
// objects of the same content may have the same version; a caller that needs to tell writes
// apart puts something unique into what it writes. Versions are compared, never read.
type Version string

const (
	// None is the version of an object that does not exist.
	None Version = ""
	// Any is no condition at all. No object has this version. It is for names that only the
	// caller uses, and for storage that ignores conditions, under a lock kept elsewhere.
	Any Version = "*"
)

// VersionOf returns the version of a described file: of [FS.Stat], [File.Stat],
// [FS.ReadDir] and [Lister]. It is None if the storage has no versions.
func VersionOf(info fs.FileInfo) Version {
	v, _ := info.Sys().(Version)
	return v
}

// Ticket is what anyone needs to publish, withdraw or retract a staged file. It holds no
// secret and no name of a process, and is kept as JSON.
type Ticket struct {
	Name   string `json:"name"`          // final name, whole; see [FS]
	Upload string `json:"upload"`        // the storage's name of the pending upload
	Tag    string `json:"tag,omitempty"` // of [Staging]; the published object bears it
	Size   int64  `json:"size,omitempty"`
	Sum    string `json:"sum,omitempty"`   // the storage's checksum of the whole file, if it keeps one
	Parts  []Part `json:"parts,omitempty"` // in order; part i of the upload has the number i+1
}

// Part is one acknowledged part of an upload.
type Part struct {
	Version Version `json:"version"`
	Sum     string  `json:"sum,omitempty"` // the storage's checksum of it, if it keeps one
}

// Staging describes a file that is to be staged.
type Staging struct {
	Size   int64  // bytes that are going to be written; 0 if unknown
	Tag    string // of the published object: unique, 1 to 64 letters and digits
	Memory int64  // most bytes of parts that the writer holds; one part at least, and 0 is as many as pays
}

// Stager writes files that do not appear before they are published.
type Stager interface {
	// Stage begins an upload, and returns when the storage has given it a name. Nothing is
	// sent but that one request, so that the caller can note the ticket before the first
	// byte is stored. Whether the name is taken is not asked: Publish decides that.
	Stage(name string, how Staging) (Staged, error)
	// Publish makes the file of a whole ticket (after Sync) appear under its name, at one
	// instant, if the name has the version old: None for a name that must be free, a
	// version for a file to be replaced, Any for no condition. When it returns nil, the file
	// that stands there has the tag and the size of the ticket, and its checksum, if the
	// storage keeps one. So publishing again, by anyone, is nil as long as the file stands.
	//
	// ErrChanged: another file has the name, or old is not its version; the upload may still
	// be pending. ErrGone: the upload does not exist any more, and no file has the name.
	Publish(t Ticket, old Version) error
	// Withdraw ends a pending upload, and frees what it holds. When it returns nil no call,
	// not even one that is on its way, can publish the ticket any more; a file that was
	// published before stays. An upload that does not exist is no error. It needs only the
	// name and the upload of a ticket.
	Withdraw(t Ticket) error
	// Retract removes the published file of a ticket: the file under the name, if it has the
	// ticket's tag, with the condition that it is still that one. Another file stays, and
	// is no error; nor is none. It does not withdraw. It needs the name and the tag.
	Retract(t Ticket) error
	// Pending calls yield for each pending upload below a folder, or of exactly that name,
	// with the name and the upload alone in the ticket, in any order, until yield returns an
	// error, which it returns. Storage that cannot list them all may leave some out, so a
	// caller notes tickets itself; fs.ErrPermission if listing is forbidden.
	Pending(name string, yield func(Ticket) error) error
	// PartSize returns the size of the parts of a file of size bytes, 0 if unknown. A writer
	// holds one that is being filled, and those that are not acknowledged yet.
	PartSize(size int64) int64
}

// Staged is a file that is being staged. It is for one goroutine at a time.
type Staged interface {
	// Write adds to the file. It waits while as many parts are on their way as may be.
	// After an error the upload is of no use: Close, and Withdraw the ticket.
	io.Writer
	// Sync returns when all that was written is stored, and survives a crash of this
	// machine. Nothing may be written after it. An empty file is a legal one.
	Sync() error
	// Ticket returns the ticket: from Stage on with name, upload and tag; after Sync whole.
	Ticket() Ticket
	// Close returns when no request of this writer is on its way, and frees its memory. It
	// neither publishes nor withdraws. Calling it again does nothing.
	io.Closer
}

// Swapper is compare-and-swap of small objects, which are written whole.
type Swapper interface {
	// Load returns the content of an object of at most limit bytes, and its version;
	// fs.ErrNotExist if there is none. A larger one is an error.
	Load(name string, limit int64) ([]byte, Version, error)
	// Swap replaces the content of an object if it has the version old: None for a name
	// that must be free, Any for no condition. It returns the new version. ErrChanged: it
	// has another version. If Swap cannot tell whether its own request or another's was
	// first, it reads back: the same bytes are its own. So what is swapped by several must
	// be unique.
	Swap(name string, old Version, data []byte) (Version, error)
	// Delete removes an object if it has the version old, or any version if old is Any. A
	// name without an object is no error: who removed it is not known. ErrChanged: it has
	// another version.
	Delete(name string, old Version) error
}

// Lister lists everything below a folder in few requests.
type Lister interface {
	// List calls yield for each object below a folder, at any depth, in the order of the
	// bytes of the names, until yield returns an error, which it returns. below is the name
	// below the folder, with slashes. The description has size, time and version. A folder
	// without objects is no error, because object storage has no folders.
	List(dir string, yield func(below string, info fs.FileInfo) error) error
}

// Objects is a file system that is object storage: it has no Rename and no folders of its
// own.
type Objects interface {
	FS
	Stager
	Swapper
	Lister
}

// AsObjects returns the file system of a name as object storage, or nil if it renames. An
// error is one of connecting to it.
func AsObjects(f FS, name string) (Objects, error) {
	if r, ok := f.(*Router); ok {
		var err error
		if f, err = r.of(name); err != nil {
			return nil, err
		}
	}
	o, _ := f.(Objects)
	return o, nil
}
