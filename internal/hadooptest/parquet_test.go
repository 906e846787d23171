package hadooptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/hadooptest"
)

// TestEngineParquet makes Parquet on YARN: one file, which is the local engine's byte for byte,
// and several by two reducers, with a summary.
func TestEngineParquet(t *testing.T) {
	t.Parallel()
	c := hadooptest.Shared(t)
	s := newShell(t, c)
	const in = "/parquet/in"
	c.Fs(t, "-mkdir", "-p", in)
	const fixture = "../../testdata/avro/fastavro-1.13.1-events-many-blocks-snappy.avro"
	for i := range 4 {
		c.Fs(t, "-put", fixture, fmt.Sprintf("%s/%d.avro", in, i))
	}
	common := []string{"--row-group-size", "64KiB", "--page-size", "1KiB", "--bloom", "id"}
	local := filepath.Join(t.TempDir(), "local.parquet")
	s.must("convert", append(common, "hdfs://"+in, local)...)
	s.must("convert", append(common, "-v", "--engine", "hadoop", "hdfs://"+in, "hdfs:///parquet/one.parquet")...)
	got := filepath.Join(t.TempDir(), "got.parquet")
	c.Fs(t, "-get", "/parquet/one.parquet", got)
	want, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := os.ReadFile(got); err != nil || !bytes.Equal(is, want) {
		t.Errorf("%d bytes, the local engine makes %d others: %v", len(is), len(want), err)
	}

	s.must("convert", append(common, "--format", "parquet", "--summary", "--engine", "hadoop", "--partitions", "2", "hdfs://"+in, "hdfs:///parquet/out")...)
	var r engineReport
	if err := json.Unmarshal([]byte(c.Fs(t, "-cat", "/parquet/out/_SUCCESS")), &r); err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for _, o := range r.Outputs {
		rows += o.Rows
	}
	left := c.Fs(t, "-ls", "-R", "/parquet/out")
	if len(r.Outputs) != 2 || rows != r.Counters.Rows || rows == 0 || !strings.Contains(left, "/_metadata") || strings.Contains(left, "_temporary") {
		t.Errorf("%+v; %s", r, left)
	}
}
