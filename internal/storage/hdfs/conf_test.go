package hdfs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"avro2trevni/internal/storage"
)

// conf sets HADOOP_CONF_DIR to a folder with properties in core-site.xml, and more in
// hdfs-site.xml, and loads it.
func conf(t *testing.T, core, site string) config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"core-site.xml": core, "hdfs-site.xml": site} {
		var doc strings.Builder
		doc.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
		for line := range strings.Lines(text) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				doc.WriteString("<property><name>" + name + "</name><value> " + value + " </value><final>true</final></property>\n")
			}
		}
		doc.WriteString("</configuration>\n")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(doc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HADOOP_CONF_DIR", dir)
	c, err := loadConfig()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// federated is a configuration of two nameservices, one with two NameNodes.
const federated = `
	dfs.nameservices=a,b
	dfs.ha.namenodes.a=n1, n2
	dfs.namenode.rpc-address.a.n1=one:9000
	dfs.namenode.rpc-address.a.n2=two.${domain}
	dfs.namenode.rpc-address.b=three:8021
	dfs.ha.namenodes.half=n1
	domain=example.org
	dfs.namenode.kerberos.principal=nn/_HOST@REALM
	dfs.namenode.kerberos.principal.b=bb/_HOST@REALM`

func TestNameNodes(t *testing.T) {
	c := conf(t, "fs.defaultFS=hdfs://a/", federated)
	tests := []struct {
		authority string
		want      []string
		err       string
	}{
		{"a", []string{"one:9000", "two.example.org:8020"}, ""},
		{"b", []string{"three:8021"}, ""},
		{"host", []string{"host:8020"}, ""},
		{"host:1", []string{"host:1"}, ""},
		{"[::1]", []string{"[::1]:8020"}, ""},
		{"half", nil, "has no dfs.namenode.rpc-address.half.n1"},
	}
	for _, test := range tests {
		got, err := c.namenodes(test.authority)
		if !reflect.DeepEqual(got, test.want) || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got %v, %v; want %v, %q", test.authority, got, err, test.want, test.err)
		}
	}
}

func TestDefaultRoot(t *testing.T) {
	tests := []struct{ core, want, err string }{
		{"fs.defaultFS=hdfs://a/", "hdfs://a", ""},
		{"fs.default.name=hdfs://old:1", "hdfs://old:1", ""},
		{"fs.defaultFS=file:///", "", "fs.defaultFS"},
		{"", "", "fs.defaultFS"},
	}
	for _, test := range tests {
		got, err := conf(t, test.core, "").defaultRoot()
		if got != test.want || (err == nil) != (test.err == "") {
			t.Errorf("%s: got %q, %v; want %q, %q", test.core, got, err, test.want, test.err)
		}
	}
}

func TestSecurity(t *testing.T) {
	c := conf(t, "hadoop.security.authentication=kerberos", federated+`
		dfs.data.transfer.protection=integrity,privacy
		dfs.encrypt.data.transfer.cipher.suites=AES/CTR/NoPadding
		dfs.client.use.datanode.hostname=true`)
	o, err := c.options("a")
	if err != nil {
		t.Fatal(err)
	}
	if o.KerberosClient == nil || o.KerberosServicePrincipleName != "nn/_HOST" || o.DataTransferProtection != "privacy" || !o.UseDatanodeHostname {
		t.Errorf("options are %+v", o)
	}
	if o, err = c.options("b"); err != nil || o.KerberosServicePrincipleName != "bb/_HOST" {
		t.Errorf("of b: %q, %v", o.KerberosServicePrincipleName, err)
	}
}

// Only such protection is taken as the client reads right.
func TestProtection(t *testing.T) {
	tests := []struct {
		site    string
		refused bool
	}{
		{"", false},
		{"dfs.data.transfer.protection=authentication", false},
		{"dfs.data.transfer.protection=integrity", true},
		{"dfs.data.transfer.protection=authentication,integrity", true},
		{"dfs.data.transfer.protection=privacy", true},
		{"dfs.encrypt.data.transfer=true", true},
		{"dfs.encrypt.data.transfer=true\ndfs.encrypt.data.transfer.cipher.suites=AES/CTR/NoPadding", false},
	}
	for _, test := range tests {
		_, err := conf(t, "", test.site).options("host")
		if got := errors.Is(err, storage.ErrUnsupported); got != test.refused || err != nil && !test.refused {
			t.Errorf("%q: got %v", test.site, err)
		}
	}
}

func TestExpansion(t *testing.T) {
	t.Setenv("SOME_PORT", "77")
	c := conf(t, "a=${b}${b}\nb=x${env.SOME_PORT}\nloop=${loop}y\nopen=${a", "")
	for name, want := range map[string]string{"a": "x77x77", "open": "${a", "none": ""} {
		if got := c.get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := c.get("loop"); len(got) > 100 {
		t.Errorf("a property that names itself is %d bytes", len(got))
	}
}

func TestConfigurationErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HADOOP_CONF_DIR", dir)
	if err := os.WriteFile(filepath.Join(dir, "core-site.xml"), []byte("<configuration><property>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := loadConfig(); err == nil || !strings.Contains(err.Error(), "core-site.xml") {
		t.Errorf("got %v", err)
	}
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_HOME", "")
	if c, err := loadConfig(); len(c) != 0 || err != nil {
		t.Errorf("without a folder: %v, %v", c, err)
	}
}

// What Kerberos lacks is told by name.
func TestCredentialErrors(t *testing.T) {
	dir := t.TempDir()
	krb5 := filepath.Join(dir, "krb5.conf")
	if err := os.WriteFile(krb5, []byte("[libdefaults]\n default_realm = REALM\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, krb5, cache string
		o                 Options
		want              string
	}{
		{"no krb5.conf", filepath.Join(dir, "none"), "", Options{}, "configuration"},
		{"no cache", krb5, filepath.Join(dir, "cache"), Options{}, "run kinit"},
		{"kernel's cache", krb5, "KEYRING:x", Options{}, "only files"},
		{"no keytab", krb5, "", Options{Keytab: filepath.Join(dir, "k"), Principal: "p"}, "keytab"},
		{"no principal", krb5, "", Options{Keytab: filepath.Join(dir, "k")}, "needs a principal"},
	}
	for _, test := range tests {
		t.Setenv("KRB5_CONFIG", test.krb5)
		t.Setenv("KRB5CCNAME", test.cache)
		if _, err := credentialed(&test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}
