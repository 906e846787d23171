package hadooptest_test

import (
	"strings"
	"testing"

	"avro2trevni/internal/hadooptest"
)

// The daemons serve, and a file put by Java's own client is one that fsck finds.
func TestCluster(t *testing.T) {
	c := hadooptest.Start(t, hadooptest.Options{})
	c.Fs(t, "-put", "cluster_test.go", "/file")
	if got := c.Fsck(t, "/"); !strings.Contains(got, "is HEALTHY") || !strings.Contains(got, "/file ") {
		t.Errorf("fsck says %s", got)
	}
}
