package hdfs_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
)

// HDFS that wants Kerberos serves who has a key, or a ticket, and no other; with tokens
// for blocks and authenticated DataNodes.
func TestKerberos(t *testing.T) {
	for name, conf := range map[string]map[string]string{
		"plain":     {"dfs.data.transfer.protection": "authentication"},
		"encrypted": {"dfs.data.transfer.protection": "privacy", "dfs.encrypt.data.transfer.cipher.suites": "AES/CTR/NoPadding"},
	} {
		t.Run(name, func(t *testing.T) {
			kerberos(t, hadooptest.Start(t, hadooptest.Options{Kerberos: true, Conf: conf}))
		})
	}
}

func kerberos(t *testing.T, c *hadooptest.Cluster) {
	t.Setenv("HADOOP_CONF_DIR", c.ConfDir())
	t.Setenv("KRB5_CONFIG", c.Krb5Conf())
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("KRB5CCNAME", "FILE:"+cache)
	err := failure(t, "no ticket", func() error {
		_, err := hdfs.New(t.Context(), c.URI(), &hdfs.Options{})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "run kinit") {
		t.Errorf("without a ticket: %v", err)
	}
	err = failure(t, "another's name", func() error {
		_, err := hdfs.New(t.Context(), c.URI(), &hdfs.Options{Keytab: c.Keytab(), Principal: "nobody@EXAMPLE.COM"})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "nobody@EXAMPLE.COM") {
		t.Errorf("as another: %v", err)
	}
	uses(t, c, "/keytab", hdfs.Options{Keytab: c.Keytab(), Principal: hadooptest.User})
	c.RunProgram(t, "testdata/Kinit.java", filepath.Dir(c.Krb5Conf()), hadooptest.User, c.Keytab(), cache)
	uses(t, c, "/cache", hdfs.Options{})
}

// uses writes and reads a file, and takes a lock.
func uses(t *testing.T, c *hadooptest.Cluster, name string, o hdfs.Options) {
	t.Helper()
	o.Patience = 10 * time.Second
	f := connect(t, c, o)
	write(t, f, name, pattern(3*mib))
	if got, err := storage.ReadFile(f, name, 4*mib); err != nil || !bytes.Equal(got, pattern(3*mib)) {
		t.Errorf("%s: read %d bytes, %v", name, len(got), err)
	}
	l, err := f.Lock(name + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
