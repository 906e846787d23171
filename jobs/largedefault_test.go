package jobs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
)

// A row's defaults count as what it needs: what is said to be enough is, for any workers, and
// the bytes are the same. With less nothing is begun.
func TestLargeDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows [][]byte
	for i := range 20 {
		rows = append(rows, binary.AppendVarint(nil, int64(i)))
	}
	writeAvro(t, "in.avro", `{"type":"record","name":"r","fields":[{"name":"i","type":"int"}]}`, rows...)
	must(t, os.WriteFile("rows.avsc", fmt.Appendf(nil, `{"type":"record","name":"r","fields":[{"name":"i","type":"int"},{"name":"d","type":"string","default":"%s"}]}`,
		strings.Repeat("x", 1_000_000)), 0o666))
	for _, codec := range []string{"snappy", "null"} {
		convert := func(limit int64, workers int) (string, error) {
			var log bytes.Buffer
			_, err := Convert(t.Context(), &Options{
				Inputs: []string{"in.avro"}, Output: "out.trv", Schema: "rows.avsc", Memory: limit, Workers: workers, IfExists: IfExistsReplace, Codec: codec,
				SplitSize: 1 << 10, Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if strings.Contains(log.String(), "beginning again") {
				t.Errorf("%s, %d workers, %d bytes: %s", codec, workers, limit, &log)
			}
			data, _ := os.ReadFile("out.trv")
			return string(data), err
		}
		want, err := convert(units.GiB, 1)
		must(t, err)
		if len(want) == 0 {
			t.Fatal("no output")
		}
		var least []string
		for _, workers := range []int{1, 5} {
			_, err := convert(36*units.MiB, workers)
			wantExit(t, err, exit.StatusRefused, "is too little for")
			said := regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`).FindStringSubmatch(err.Error())
			if said == nil {
				t.Fatalf("it says %v", err)
			}
			least = append(least, said[1])
			enough, err := strconv.ParseInt(said[1], 10, 64)
			must(t, err)
			for _, limit := range []int64{enough, enough + 7*units.MiB} {
				if got, err := convert(limit, workers); err != nil || got != want {
					t.Errorf("%s, %d workers, %d bytes: the same bytes: %v, %v", codec, workers, limit, got == want, err)
				}
			}
		}
		for _, n := range least {
			if n != least[0] {
				t.Errorf("the least memory depends on the workers: %v", least)
			}
		}
	}
}

// A row that the schema wanted makes larger than its bytes has room made for it, or what
// would do is said; for any workers.
func TestRowsThatResolutionWidens(t *testing.T) {
	t.Chdir(t.TempDir())
	const elements = 3_000_000
	row := append(binary.AppendVarint(nil, elements), bytes.Repeat([]byte{4}, elements)...)
	writeAvro(t, "in.avro", `{"type":"array","items":"int"}`, []byte{2, 6, 0}, append(row, 0), []byte{0})
	must(t, os.WriteFile("rows.avsc", []byte(`{"type":"array","items":"double"}`), 0o666))
	convert := func(limit int64, workers int) (string, string, error) {
		var log bytes.Buffer
		_, err := Convert(t.Context(), &Options{
			Inputs: []string{"in.avro"}, Output: "out.trv", Schema: "rows.avsc", Memory: limit, Workers: workers, IfExists: IfExistsReplace,
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		data, _ := os.ReadFile("out.trv")
		return string(data), log.String(), err
	}
	want, _, err := convert(units.GiB, 1)
	must(t, err)
	for _, workers := range []int{1, 4} {
		again := false
		for limit, tries := int64(60*units.MiB), 0; ; tries++ {
			got, log, err := convert(limit, workers)
			again = again || strings.Contains(log, "beginning again")
			if err == nil {
				if got != want {
					t.Errorf("%d workers, %d bytes: the bytes differ", workers, limit)
				}
				t.Logf("%d workers: %d bytes are enough", workers, limit)
				break
			}
			wantExit(t, err, exit.StatusRefused, "is too little for")
			said := regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`).FindStringSubmatch(err.Error())
			if said == nil || tries == 4 {
				t.Fatalf("it says %v", err)
			}
			limit, err = strconv.ParseInt(said[1], 10, 64)
			must(t, err)
		}
		if !again {
			t.Errorf("%d workers: no division of the memory was too small", workers)
		}
	}
}
