package scanner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

type parquetScanRow struct {
	ID    int64    `parquet:"id"`
	Price float64  `parquet:"price"`
	Name  string   `parquet:"name,dict"`
	Count *int32   `parquet:"count,optional"`
	Flag  bool     `parquet:"flag"`
	Tags  []string `parquet:"tags,list"`
}

// parquetWritten makes a file of n rows in row groups of 1,000: one row in three has no count,
// each has as many tags as its number's last digit tells.
func parquetWritten(t *testing.T, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rows.parquet")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[parquetScanRow](f, parquet.MaxRowsPerRowGroup(1000), parquet.PageBufferSize(512), parquet.Compression(&parquet.Snappy))
	for i := range n {
		r := parquetScanRow{ID: int64(i), Price: float64(i) / 2, Name: strings.Repeat("n", i%4), Flag: i%5 == 0, Tags: slices.Repeat([]string{"ab"}, i%10)}
		if i%3 > 0 {
			c := int32(i)
			r.Count = &c
		}
		if _, err := w.Write([]parquetScanRow{r}); err != nil {
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

// parquetWanted adds up what parquetWritten wrote.
func parquetWanted(n int, r RowRange) Answer {
	from, step := int(r.From), int(max(r.Step, 1))
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
	price := tally{count: int64(rows), broken: float64(ids) / 2}.format()
	return Answer{
		fmt.Sprintf("%d:%d", rows, ids), price, fmt.Sprintf("%d:%d", rows, names),
		fmt.Sprintf("%d:%d", counts, countSum), fmt.Sprintf("%d:%d", rows, flags), fmt.Sprintf("%d:%d", tags, 2*tags),
	}
}

func TestParquetScan(t *testing.T) {
	const rows = 2500
	name := parquetWritten(t, rows)
	for _, task := range []Task{
		{Threads: 1},
		{Threads: 3},
		{Threads: 1, Rows: RowRange{3, rows, 7}},
		{Threads: 2, Rows: RowRange{1999, rows, 1000}},
	} {
		task.Columns = []string{"id", "price", "name", "count", "flag", "tags.list.element"}
		got, err := Ask(t.Context(), "parquet-go", name, &task)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parquetWanted(rows, task.Rows), got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", task, diff)
		}
	}
}

func TestParquetScanRefuses(t *testing.T) {
	name := parquetWritten(t, 10)
	scan := func(path string, columns ...string) error {
		_, err := scanParquet(t.Context(), &Task{Columns: columns, Threads: 1}, path)
		return err
	}
	if err := scan(name, "nothing"); err == nil || !strings.Contains(err.Error(), `no column "nothing"`) {
		t.Errorf("a column that isn't there: error %v", err)
	}
	if err := scan(name + "x"); err == nil {
		t.Error("no error without a file")
	}
}
