package hadooptest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// realm is the KDC's own.
const realm = "EXAMPLE.COM"

// User is a principal that the KDC of a cluster with Kerberos knows, beside the
// daemons'. Its key is in [Cluster.Keytab].
const User = "user@" + realm

// Keytab returns the file with all principals' keys.
func (c *Cluster) Keytab() string { return filepath.Join(c.dir, "all.keytab") }

// Krb5Conf returns the file that tells of the KDC; there is none without Kerberos.
func (c *Cluster) Krb5Conf() string { return filepath.Join(c.dir, "kdc", "krb5.conf") }

// startKDC starts the KDC, and returns when its files are there.
func (c *Cluster) startKDC() error {
	work := filepath.Dir(c.Krb5Conf())
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	properties := filepath.Join(c.dir, "kdc.properties")
	if err := os.WriteFile(properties, []byte("transport=TCP\nkdc.bind.address=127.0.0.1\n"), 0o644); err != nil {
		return err
	}
	c.KDC = &Daemon{name: "kdc", c: c, args: []string{
		"org.apache.hadoop.minikdc.MiniKdc", work, properties, c.Keytab(), "hdfs/localhost", "HTTP/localhost", "user",
	}}
	if err := c.KDC.Start(); err != nil {
		return err
	}
	return c.wait(func() error {
		for _, name := range []string{c.Krb5Conf(), c.Keytab()} {
			if info, err := os.Stat(name); err != nil || info.Size() == 0 {
				return fmt.Errorf("the KDC has no %s", name)
			}
		}
		return nil
	})
}

// secureConf is what HDFS with Kerberos adds. The DataNode takes ports that any user
// may have.
func (c *Cluster) secureConf() map[string]string {
	return map[string]string{
		"hadoop.security.authentication":                  "kerberos",
		"dfs.block.access.token.enable":                   "true",
		"dfs.data.transfer.protection":                    "authentication",
		"ignore.secure.ports.for.testing":                 "true",
		"dfs.namenode.kerberos.principal":                 "hdfs/localhost@" + realm,
		"dfs.namenode.keytab.file":                        c.Keytab(),
		"dfs.datanode.kerberos.principal":                 "hdfs/localhost@" + realm,
		"dfs.datanode.keytab.file":                        c.Keytab(),
		"dfs.web.authentication.kerberos.principal":       "HTTP/localhost@" + realm,
		"dfs.web.authentication.kerberos.keytab":          c.Keytab(),
		"dfs.namenode.kerberos.internal.spnego.principal": "HTTP/localhost@" + realm,
	}
}

// with returns one map with another's entries, which count, added.
func with(a, b map[string]string) map[string]string {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return all
}
