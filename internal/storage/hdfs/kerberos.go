package hdfs

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"

	krb "github.com/jcmturner/gokrb5/v8/client"
	krbconf "github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
)

// credentialed returns a Kerberos client: of the keytab if one is given, else of the
// ticket cache that kinit filled.
func credentialed(o *Options) (*krb.Client, error) {
	conf, err := krbconf.Load(envOr("KRB5_CONFIG", "/etc/krb5.conf"))
	if err != nil {
		return nil, fmt.Errorf("hdfs: Kerberos: configuration: %w", err)
	}
	if o.Keytab != "" {
		return fromKeytab(o, conf)
	}
	return fromCache(conf)
}

func fromKeytab(o *Options, conf *krbconf.Config) (*krb.Client, error) {
	if o.Principal == "" {
		return nil, errors.New("hdfs: Kerberos: a keytab needs a principal")
	}
	kt, err := keytab.Load(o.Keytab)
	if err != nil {
		return nil, fmt.Errorf("hdfs: Kerberos: keytab %s: %w", o.Keytab, err)
	}
	name, realm, _ := strings.Cut(o.Principal, "@")
	if realm == "" {
		realm = conf.LibDefaults.DefaultRealm
	}
	c := krb.NewWithKeytab(name, realm, kt, conf, krb.DisablePAFXFAST(true))
	if err := c.Login(); err != nil {
		return nil, fmt.Errorf("hdfs: Kerberos: log in as %s@%s: %w", name, realm, err)
	}
	return c, nil
}

func fromCache(conf *krbconf.Config) (*krb.Client, error) {
	path := os.Getenv("KRB5CCNAME")
	if path == "" {
		path = fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())
	}
	kind, file, ok := strings.Cut(path, ":")
	switch {
	case !ok:
		file = path
	case kind != "FILE":
		return nil, fmt.Errorf("hdfs: Kerberos: ticket cache %s: only files can be read; set KRB5CCNAME, or use a keytab", path)
	}
	cache, err := credentials.LoadCCache(file)
	if err != nil {
		return nil, fmt.Errorf("hdfs: Kerberos: ticket cache %s: %w; run kinit, or use a keytab", file, err)
	}
	c, err := krb.NewFromCCache(cache, conf, krb.DisablePAFXFAST(true))
	if err != nil {
		return nil, fmt.Errorf("hdfs: Kerberos: ticket cache %s: %w", file, err)
	}
	return c, nil
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// UserName returns the user name for HDFS without Kerberos.
func UserName() (string, error) {
	if name := os.Getenv("HADOOP_USER_NAME"); name != "" {
		return name, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("hdfs: unknown user: set HADOOP_USER_NAME: %w", err)
	}
	return u.Username, nil
}
