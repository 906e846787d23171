package hdfs

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"

	"avro2trevni/internal/storage"
)

// defaultPort is the NameNode's where a URI names none.
const defaultPort = "8020"

// config is Hadoop's configuration, by the properties' names.
type config map[string]string

// ConfDir returns the folder of the configuration: HADOOP_CONF_DIR, or else that of
// HADOOP_HOME; "" where there is none.
func ConfDir() string {
	dir := os.Getenv("HADOOP_CONF_DIR")
	if home := os.Getenv("HADOOP_HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, "etc", "hadoop")
	}
	return dir
}

// ConfFiles are the files of the configuration that are read; each may be missing.
func ConfFiles() []string { return []string{"core-site.xml", "hdfs-site.xml"} }

// Secure reports whether the configuration requires Kerberos.
func Secure() (bool, error) {
	conf, err := loadConfig()
	return conf.get("hadoop.security.authentication") == "kerberos", err
}

// loadConfig reads the configuration. It is empty where there is none.
func loadConfig() (config, error) {
	dir := ConfDir()
	conf := config{}
	if dir == "" {
		return conf, nil
	}
	for _, name := range ConfFiles() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = conf.parse(data)
		}
		if err != nil {
			return nil, fmt.Errorf("hdfs: configuration %s: %w", filepath.Join(dir, name), err)
		}
	}
	return conf, nil
}

// parse enters the properties of a configuration file.
func (c config) parse(data []byte) error {
	var doc struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		return err
	}
	for _, p := range doc.Properties {
		c[strings.TrimSpace(p.Name)] = strings.TrimSpace(p.Value)
	}
	return nil
}

// maxSubstitutions is how many ${name} of a value are replaced, as in Hadoop.
const maxSubstitutions = 20

// get returns a property, "" if there is none. ${name} in it is replaced by another
// property, or by NAME of the environment for env.NAME.
func (c config) get(name string) string {
	v := c[name]
	for range maxSubstitutions {
		before, rest, ok := strings.Cut(v, "${")
		inner, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		if env, isEnv := strings.CutPrefix(inner, "env."); isEnv {
			inner = os.Getenv(env)
		} else {
			inner = c[inner]
		}
		v = before + inner + after
	}
	return v
}

// list returns a property's words, which commas part.
func (c config) list(name string) []string {
	return strings.FieldsFunc(c.get(name), func(r rune) bool { return r == ',' || r == ' ' })
}

// defaultRoot returns fs.defaultFS as a file system's name: what hdfs:///path means.
func (c config) defaultRoot() (string, error) {
	root := strings.TrimSuffix(c.get("fs.defaultFS"), "/")
	if root == "" {
		root = strings.TrimSuffix(c.get("fs.default.name"), "/")
	}
	if !strings.HasPrefix(root, "hdfs://") || root == "hdfs://" {
		return "", fmt.Errorf("hdfs: hdfs:/// needs fs.defaultFS to be an hdfs:// name, in HADOOP_CONF_DIR; it is %q", root)
	}
	return root, nil
}

// namenodes returns the addresses of the NameNodes that serve an authority: a
// nameservice of the configuration, or a host.
func (c config) namenodes(authority string) ([]string, error) {
	const address = "dfs.namenode.rpc-address."
	if ids := c.list("dfs.ha.namenodes." + authority); len(ids) > 0 {
		var all []string
		for _, id := range ids {
			a := c.get(address + authority + "." + id)
			if a == "" {
				return nil, fmt.Errorf("hdfs: nameservice %s: the configuration has no %s%s.%s", authority, address, authority, id)
			}
			all = append(all, withPort(a))
		}
		return all, nil
	}
	if a := c.get(address + authority); a != "" {
		return []string{withPort(a)}, nil
	}
	return []string{withPort(authority)}, nil
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), defaultPort)
}

// principal returns the NameNodes' Kerberos name, without its realm.
func (c config) principal(authority string) string {
	const key = "dfs.namenode.kerberos.principal"
	var names []string
	for _, id := range c.list("dfs.ha.namenodes." + authority) {
		names = append(names, key+"."+authority+"."+id)
	}
	for _, name := range append(names, key+"."+authority, key) {
		if p, _, _ := strings.Cut(c.get(name), "@"); p != "" {
			return p
		}
	}
	return ""
}

// protection refuses what the client doesn't read right: where DataNodes sign or
// encrypt by DIGEST-MD5 it drops the bytes of a read that spans two messages. With AES
// there are no messages.
func (c config) protection(level string) error {
	const suites = "dfs.encrypt.data.transfer.cipher.suites"
	switch {
	case level == hdfs.DataTransferProtectionIntegrity,
		level == hdfs.DataTransferProtectionPrivacy && c.get(suites) != "AES/CTR/NoPadding":
		return fmt.Errorf("hdfs: data transfer protection %s: %w: it must be authentication, or privacy with %s AES/CTR/NoPadding",
			level, storage.ErrUnsupported, suites)
	}
	return nil
}

// options returns the client's options for an authority, without credentials.
func (c config) options(authority string) (hdfs.ClientOptions, error) {
	expanded := hadoopconf.HadoopConf{}
	for _, name := range []string{
		"dfs.client.use.datanode.hostname", "hadoop.security.authentication",
		"dfs.data.transfer.protection", "dfs.encrypt.data.transfer",
	} {
		expanded[name] = c.get(name)
	}
	o := hdfs.ClientOptionsFromConf(expanded)
	o.KerberosServicePrincipleName = c.principal(authority)
	if err := c.protection(o.DataTransferProtection); err != nil {
		return o, err
	}
	var err error
	o.Addresses, err = c.namenodes(authority)
	return o, err
}
