package interop

import (
	"path/filepath"
	"testing"
)

// eachJavaFile calls f in a subtest for each .trv file that Java wrote.
func eachJavaFile(t *testing.T, f func(t *testing.T, base, path string)) {
	t.Helper()
	folders := javaFixtures(t)
	for _, maker := range sorted(folders) {
		files := byBase(t, filepath.Join(folders[maker], "*.trv"))
		for _, base := range sorted(files) {
			t.Run(maker+"/"+base, func(t *testing.T) { f(t, base, files[base]) })
		}
	}
}

// TestJavasFilesHoldTheSame reads with our reader what Java wrote of the same rows
// with several codecs and checksums.
func TestJavasFilesHoldTheSame(t *testing.T) {
	first := byBase(t, filepath.Join(testdata, "trevni", "java-1.12.1-null", "*.trv"))
	eachJavaFile(t, func(t *testing.T, base, path string) {
		if first[base] == "" {
			first[base] = path // Java's totrevni fails on its maps: there is one file only
		}
		compareTables(t, readTable(t, path), readTable(t, first[base]))
	})
}
