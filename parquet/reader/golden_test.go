package reader

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/parquet"
)

// golden is what pyarrow says of a file: see testdata/golden.py.
type golden struct {
	Refused string
	Rows    int64
	Groups  int
	Leaves  [][3]any // path, values, digest
}

func goldens(t testing.TB, name string) map[string]golden {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]golden
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// readAllColumns reads everything of a file, and returns its leaves as golden has them.
func readAllColumns(file []byte, o *Options) (rows int64, leaves [][3]any, err error) {
	f, err := Open(strings.NewReader(string(file)), int64(len(file)), o)
	if err != nil {
		return 0, nil, err
	}
	for i, l := range f.Schema.Leaves {
		sum, n := sha256.New(), 0
		for _, g := range f.RowGroups {
			c, err := g.Column(i)
			if err != nil {
				return 0, nil, err
			}
			row := g.First - 1
			var b Batch
			for err = c.Next(&b); err == nil; err = c.Next(&b) {
				value := 0
				for entry := range b.N {
					if b.Rep == nil || b.Rep[entry] == 0 {
						row++
					}
					if b.Def == nil || b.Def[entry] == byte(l.MaxDef) {
						fmt.Fprintf(sum, "%d:%s\n", row, text(l, b.Values.Bytes(value)))
						value++
					}
				}
				n += b.Values.N
				if value != b.Values.N {
					return 0, nil, fmt.Errorf("column %s: %d values, %d by the levels", l, b.Values.N, value)
				}
			}
			if err != io.EOF {
				return 0, nil, err
			}
		}
		leaves = append(leaves, [3]any{l.String(), float64(n), hex.EncodeToString(sum.Sum(nil))[:16]})
	}
	return f.Rows, leaves, nil
}

// text returns a value as the digest has it.
func text(l *Node, b []byte) string {
	switch {
	case l.Logical.Kind == DecimalType && (l.Type == parquet.ByteArray || l.Type == parquet.FixedLenByteArray):
		n := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return n.String()
	case l.Type == parquet.Boolean:
		return strconv.Itoa(int(b[0]))
	case l.Type == Int96:
		days := int64(binary.LittleEndian.Uint32(b[8:])) - 2440588
		return strconv.FormatInt(days*86_400_000_000_000+int64(binary.LittleEndian.Uint64(b)), 10)
	case l.Type == parquet.Int32 && l.Logical.Kind == IntType && !l.Logical.Signed:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10)
	case l.Type == parquet.Int32:
		return strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(b))), 10)
	case l.Type == parquet.Int64 && l.Logical.Kind == IntType && !l.Logical.Signed:
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
	case l.Type == parquet.Int64:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	}
	return hex.EncodeToString(b)
}

// libraryFiles is the folder of the Parquet files that parquet-go's tests use: its module is
// here, as this one requires it.
func libraryFiles(t testing.TB) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "testdata")
}

// compareGolden compares a file with what pyarrow read. verdict is how the file is refused here,
// if it is: a part of the message.
func compareGolden(t *testing.T, path string, want golden, verdict string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, leaves, err := readAllColumns(file, nil)
	switch {
	case verdict != "":
		if err == nil || !strings.Contains(err.Error(), verdict) {
			t.Errorf("%v, where %q was expected", err, verdict)
		}
	case err != nil:
		t.Error(err)
	case want.Refused != "":
		t.Errorf("read, but pyarrow says: %s", want.Refused)
	case rows != want.Rows || len(leaves) != len(want.Leaves):
		t.Errorf("%d rows, %d columns; pyarrow has %d, %d", rows, len(leaves), want.Rows, len(want.Leaves))
	default:
		for i, l := range leaves {
			if !slices.Equal(l[:], want.Leaves[i][:]) {
				t.Errorf("column %v, where pyarrow has %v", l, want.Leaves[i])
			}
		}
	}
}

// TestLibraryFiles compares with pyarrow the files that parquet-go's tests use, of many
// writers: Impala, parquet-mr, arrow-rs, Spark, Athena.
func TestLibraryFiles(t *testing.T) {
	refused := map[string]string{
		"malformed/negative_page_size.parquet":          "-4001 in the file",
		"malformed/negative_row_group_num_rows.parquet": "row group 0 has -1 rows",
		"malformed/num_values_exceeds_data.parquet":     "more entries than the footer's 500",
	}
	dir := libraryFiles(t)
	for name, want := range goldens(t, "parquet-go.json") {
		t.Run(name, func(t *testing.T) { compareGolden(t, filepath.Join(dir, name), want, refused[name]) })
	}
}

// TestParquetTesting compares with pyarrow the files of the repository apache/parquet-testing, at
// 1a2a751, if they are in .cache/parquet-testing. docs/parquet-reader.md has the table.
func TestParquetTesting(t *testing.T) {
	dir := filepath.Join("..", "..", ".cache", "parquet-testing")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no copy of apache/parquet-testing: ", err)
	}
	const encrypted = "the file is encrypted"
	refused := map[string]string{
		"bad_data/ARROW-GH-41317.parquet":                     "3 of its 3 entries are missing",
		"bad_data/ARROW-GH-41321.parquet":                     "indexes of 254 bits",
		"bad_data/ARROW-GH-45185.parquet":                     "the first entry has repetition level 1",
		"bad_data/ARROW-GH-47662.parquet":                     "fewer values than definition levels",
		"bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet":        "25 entries in 322 bytes at 129 of a file of 533",
		"bad_data/ARROW-RS-GH-6229-LEVELS.parquet":            "more entries than the footer's 1",
		"bad_data/PARQUET-1481.parquet":                       "has type -7",
		"data/datapage_v1-corrupt-checksum.parquet":           "checksum is 0f4f6d0a",
		"data/rle-dict-uncompressed-corrupt-checksum.parquet": "checksum is 6522df69",
		"data/large_string_map.brotli.parquet":                "a page of 1073741828 bytes",
	}
	for name, want := range goldens(t, "parquet-testing.json") {
		verdict := refused[name]
		switch {
		case strings.Contains(name, "encrypt_columns_plaintext_footer"):
			verdict = "the column is encrypted"
		case strings.HasSuffix(name, ".encrypted"):
			verdict = encrypted
		case name == "data/incorrect_map_schema.parquet":
			want = golden{Rows: 1, Leaves: [][3]any{ // pyarrow refuses maps whose keys are optional
				{"my_map.key_value.key", 2., "56d8165c6a5b02ea"}, {"my_map.key_value.value", 2., "1a2ca3b5814617c7"},
			}}
		}
		t.Run(name, func(t *testing.T) { compareGolden(t, filepath.Join(dir, name), want, verdict) })
	}
}

// TestWriters compares with pyarrow files of other writers, of one flat table and one nested:
// testdata/write.py makes them.
func TestWriters(t *testing.T) {
	all := goldens(t, "writers.json")
	files, err := filepath.Glob(filepath.Join("testdata", "writers", "*.parquet"))
	if err != nil || len(files) != len(all) || len(files) == 0 {
		t.Fatalf("%d files, %d digests: %v", len(files), len(all), err)
	}
	for name, want := range all {
		t.Run(name, func(t *testing.T) { compareGolden(t, filepath.Join("testdata", "writers", name), want, "") })
	}
}
