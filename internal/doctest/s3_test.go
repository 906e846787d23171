package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"avro2trevni/internal/storage/s3/s3test"
)

// The commands of docs/s3.md work, on a server in memory that has the objects they name.
func TestS3Page(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	s := s3test.New(t)
	s.Setenv(t)
	data, err := os.ReadFile(filepath.Join(root, "testdata", "avro", "fastavro-1.13.1-booleans.avro"))
	must(t, err)
	for _, name := range []string{"2024.avro", "2025-01.avro", "2025-02.avro", "a/b.avro"} {
		s.Put("bucket/events/"+name, data)
	}
	table, err := os.ReadFile(filepath.Join(root, "testdata", "trevni", "java-1.12.1-snappy", "fastavro-1.13.1-flat.trv"))
	must(t, err)
	s.Put("bucket/tables/part-00000.trv", table)
	page, err := os.ReadFile(filepath.Join(root, "docs", "s3.md"))
	must(t, err)
	ran := 0
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.SplitSeq(strings.TrimSpace(m[1]), "\n") {
			if out, exit := shell(t, dir, path, line); exit != 0 {
				t.Errorf("%s: exit %d: %s", line, exit, out)
			}
			ran++
		}
	}
	if ran < 5 {
		t.Errorf("%d commands", ran)
	}
}
