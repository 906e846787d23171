package hdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/internal/storage"
)

// Options are how to reach HDFS. The zero value is the environment's configuration.
type Options struct {
	Keytab    string        // file with the key of Principal; default the ticket cache
	Principal string        // name@REALM, for the keytab
	Patience  time.Duration // how long a NameNode that is away is waited for; default 2 minutes
	Log       *slog.Logger  // default none
}

const defaultPatience = 2 * time.Minute

// FS is one HDFS file system, that of a NameNode or a nameservice.
type FS struct {
	ctx      context.Context
	root     string // hdfs://authority, as in the names it returns
	client   *hdfs.Client
	dial     *dialer
	defaults hdfs.ServerDefaults
	patience time.Duration
	log      *slog.Logger
	closing  sync.Once
}

var errFile = errors.New("hdfs: not as it was left")

// New connects to the HDFS that a root such as hdfs://host:port names. Close frees the
// connection.
func New(ctx context.Context, root string, o *Options) (*FS, error) {
	conf, err := loadConfig()
	if err != nil {
		return nil, err
	}
	if root == "hdfs://" {
		if root, err = conf.defaultRoot(); err != nil {
			return nil, err
		}
	}
	f := &FS{ctx: ctx, root: root, dial: &dialer{ctx: ctx}, patience: o.Patience, log: o.Log}
	if f.patience == 0 {
		f.patience = defaultPatience
	}
	if f.log == nil {
		f.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	opts, err := f.options(conf, o)
	if err != nil {
		return nil, err
	}
	return f, f.try("connect", "/", func(bool) error { return f.connect(opts) })
}

// options returns the client's options, with credentials.
func (f *FS) options(conf config, o *Options) (hdfs.ClientOptions, error) {
	opts, err := conf.options(strings.TrimPrefix(f.root, "hdfs://"))
	if err != nil {
		return opts, err
	}
	opts.NamenodeDialFunc, opts.DatanodeDialFunc = f.dial.nameNode, f.dial.dataNode
	if opts.KerberosClient == nil && o.Keytab == "" {
		opts.User, err = UserName()
		return opts, err
	}
	if opts.KerberosServicePrincipleName == "" {
		return opts, errors.New("hdfs: Kerberos: the configuration has no dfs.namenode.kerberos.principal")
	}
	opts.KerberosClient, err = credentialed(o)
	return opts, err
}

// connect makes the client, and reads the defaults while no other goroutine uses it,
// because the client keeps them without a lock.
func (f *FS) connect(opts hdfs.ClientOptions) (err error) {
	if f.client == nil {
		if f.client, err = hdfs.NewClient(opts); err != nil {
			f.client = nil
			return err
		}
	}
	f.defaults, err = f.client.ServerDefaults()
	return err
}

// Close frees the connection to the NameNode. Calling it again does nothing.
func (f *FS) Close() (err error) {
	f.closing.Do(func() {
		if f.client != nil {
			err = f.client.Close()
		}
	})
	return err
}

// uri returns the name of a path.
func (f *FS) uri(name string) string { return f.root + name }

// path returns the path of a name, as the NameNode wants it.
func (f *FS) path(name string) string {
	_, rest := storage.Split(name)
	return path.Clean("/" + rest)
}

// Rename implements [storage.FS]. The client replaces whatever has the new name, so
// a folder there is refused.
func (f *FS) Rename(from, to string) error {
	src, dst := f.path(from), f.path(to)
	return f.try("rename", src, func(again bool) error {
		info, err := f.client.Stat(dst)
		switch {
		case err == nil && info.IsDir():
			return fmt.Errorf("%w: %s is a folder", fs.ErrExist, f.uri(dst))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		there := err == nil
		err = f.client.Rename(src, dst)
		if again && there && errors.Is(err, fs.ErrNotExist) {
			return nil // an earlier try did it, and its answer was lost
		}
		return err
	})
}

// Remove implements [storage.FS].
func (f *FS) Remove(name string) error {
	name = f.path(name)
	return f.try("remove", name, func(again bool) error {
		err := f.client.Remove(name)
		if again && errors.Is(err, fs.ErrNotExist) {
			return nil // as above
		}
		return err
	})
}

// MkdirAll implements [storage.FS].
func (f *FS) MkdirAll(name string) error {
	name = f.path(name)
	return f.try("mkdir", name, func(bool) error { return f.client.MkdirAll(name, 0o755) })
}

// ReadDir implements [storage.FS].
func (f *FS) ReadDir(name string) (infos []fs.FileInfo, err error) {
	name = f.path(name)
	err = f.try("readdir", name, func(bool) error {
		info, err := f.client.Stat(name)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%w: not a folder", fs.ErrInvalid)
		}
		if err == nil {
			infos, err = f.client.ReadDir(name)
		}
		return err
	})
	return infos, err
}

// Stat implements [storage.FS].
func (f *FS) Stat(name string) (info fs.FileInfo, err error) {
	name = f.path(name)
	err = f.try("stat", name, func(bool) error {
		info, err = f.client.Stat(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Resolve implements [storage.FS]: there are no links, but a root may be told in
// several ways.
func (f *FS) Resolve(name string) (string, error) {
	if _, err := f.Stat(name); err != nil {
		return "", err
	}
	return f.uri(f.path(name)), nil
}

// SyncDir implements [storage.FS]. The NameNode answers when a name is safe; what is
// left is to say whether there is such a folder.
func (f *FS) SyncDir(name string) error {
	info, err := f.Stat(name)
	if err == nil && !info.IsDir() {
		err = f.explain("sync", f.path(name), fmt.Errorf("%w: not a folder", fs.ErrInvalid))
	}
	return err
}

// Flags of a file's status (HdfsFileStatusProto).
const (
	flagEncrypted = 2
	flagErasure   = 4
)

// supported refuses what the client would read or write wrongly.
func supported(info fs.FileInfo) error {
	s, ok := info.Sys().(*hdfs.FileStatus)
	switch {
	case !ok:
		return nil
	case s.GetFlags()&flagEncrypted != 0 || s.GetFileEncryptionInfo() != nil:
		return fmt.Errorf("it is in an encryption zone: %w", storage.ErrUnsupported)
	case s.GetFlags()&flagErasure != 0 || s.GetEcPolicy() != nil:
		return fmt.Errorf("it is erasure coded: %w", storage.ErrUnsupported)
	}
	return nil
}

// id returns the number that a file has for its life, whatever its name.
func id(info fs.FileInfo) uint64 {
	s, ok := info.Sys().(*hdfs.FileStatus)
	if !ok {
		return 0
	}
	return s.GetFileId()
}
