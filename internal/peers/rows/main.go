// Rows reads Parquet files with another library of Go's, and writes their rows in canonical
// form: rows parquet-go|arrow-go. A job is a line of standard input: NAME, the Parquet file, the
// file to write, between tabs; the answer is OK or BAD, the name, and what was seen. The form is
// that of internal/parquettest/python/canonical.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	read := map[string]func(path string, to *bufio.Writer) (rows int, err error){"parquet-go": parquetGo, "arrow-go": arrowGo}[os.Args[1]]
	jobs := bufio.NewScanner(os.Stdin)
	for jobs.Scan() {
		words := strings.Split(jobs.Text(), "\t")
		rows, err := job(read, words[1], words[2])
		if err != nil {
			fmt.Printf("BAD\t%s\t%s\n", words[0], strings.NewReplacer("\n", " ", "\t", " ").Replace(err.Error()))
			continue
		}
		fmt.Printf("OK\t%s\t%d\n", words[0], rows)
	}
}

// job reads a file; a panic of the library is its answer.
func job(read func(string, *bufio.Writer) (int, error), path, target string) (rows int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	f, err := os.Create(target)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	to := bufio.NewWriter(f)
	if rows, err = read(path, to); err != nil {
		return 0, err
	}
	return rows, to.Flush()
}
