package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	ID    int64    `parquet:"id"`
	Price float64  `parquet:"price"`
	Name  string   `parquet:"name,dict"`
	Count *int32   `parquet:"count,optional"`
	Flag  bool     `parquet:"flag"`
	Tags  []string `parquet:"tags,list"`
}

// written makes a file of n rows in row groups of 1,000: one row in three has no count,
// each has as many tags as its number's last digit tells.
func written(t *testing.T, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](f, parquet.MaxRowsPerRowGroup(1000), parquet.PageBufferSize(512), parquet.Compression(&parquet.Snappy))
	for i := range n {
		r := row{ID: int64(i), Price: float64(i) / 2, Name: strings.Repeat("n", i%4), Flag: i%5 == 0, Tags: slices.Repeat([]string{"ab"}, i%10)}
		if i%3 > 0 {
			c := int32(i)
			r.Count = &c
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// wanted adds up what written wrote.
func wanted(n, from, step int) []string {
	var rows, ids, names, counts, countSum, flags, tags int
	for i := from; i < n; i += step {
		rows++
		ids += i
		names += i % 4
		tags += i % 10
		if i%3 > 0 {
			counts++
			countSum += i
		}
		if i%5 == 0 {
			flags++
		}
	}
	price := fmt.Sprint(tally{count: int64(rows), broken: float64(ids) / 2})
	return []string{
		fmt.Sprintf("%d:%d", rows, ids), price, fmt.Sprintf("%d:%d", rows, names),
		fmt.Sprintf("%d:%d", counts, countSum), fmt.Sprintf("%d:%d", rows, flags), fmt.Sprintf("%d:%d", tags, 2*tags),
	}
}

func TestScan(t *testing.T) {
	const rows = 2500
	name := written(t, rows)
	columns := []string{"id", "price", "name", "count", "flag", "tags.list.element"}
	for _, test := range []struct {
		task
		from, step int
	}{
		{task{threads: 1}, 0, 1},
		{task{threads: 3}, 0, 1},
		{task{threads: 1, from: 3, to: rows, step: 7}, 3, 7},
		{task{threads: 2, from: 1999, to: rows, step: 1000}, 1999, 1000},
	} {
		test.columns = columns
		got, err := test.scan(name)
		if err != nil {
			t.Fatal(err)
		}
		if want := wanted(rows, test.from, test.step); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", test.task, got, want)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	name := written(t, 10)
	if _, err := (&task{columns: []string{"nothing"}, threads: 1}).scan(name); err == nil || !strings.Contains(err.Error(), `no column "nothing"`) {
		t.Errorf("a column that isn't there: error %v", err)
	}
	if _, err := (&task{threads: 1}).scan(name + "x"); err == nil {
		t.Error("no error without a file")
	}
}
