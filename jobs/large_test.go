package jobs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
)

// stringsFile makes an Avro file of codec null, of strings of some sizes, all in one block.
func stringsFile(t *testing.T, name string, sizes ...int) {
	t.Helper()
	var rows [][]byte
	for _, n := range sizes {
		rows = append(rows, binary.AppendVarint(nil, int64(n)), bytes.Repeat([]byte("abcdefg\n"), n/8+1)[:n])
	}
	raw := bytes.Join(rows, nil)
	file := append([]byte("Obj\x01\x02\x16avro.schema\x10\"string\"\x00"), "0123456789abcdef"...)
	file = binary.AppendVarint(binary.AppendVarint(file, int64(len(sizes))), int64(len(raw)))
	must(t, os.WriteFile(name, append(append(file, raw...), "0123456789abcdef"...), 0o666))
}

// A row that does not fit the memory as it was divided is converted with another division,
// to the same bytes; one that cannot is refused with what would do, and does.
func TestLargeRow(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	stringsFile(t, in, 10, 3_000_000, 20, 4_000_000, 30)
	convert := func(limit int64, workers int) (text, log string, err error) {
		var lines bytes.Buffer
		out := filepath.Join(dir, "out.trv")
		_, err = Convert(t.Context(), &Options{
			Inputs: []string{in}, Output: out, Memory: limit, Workers: workers, IfExists: IfExistsReplace,
			Log: slog.New(slog.NewTextHandler(&lines, nil)),
		})
		data, readErr := os.ReadFile(out)
		if err == nil {
			must(t, readErr)
		}
		return string(data), lines.String(), err
	}
	want, log, err := convert(units.GiB, 1)
	must(t, err)
	if strings.Contains(log, "beginning again") {
		t.Fatalf("with much memory it says %s", log)
	}
	_, _, err = convert(40*units.MiB, 1)
	wantExit(t, err, exit.StatusRefused, "is too little for the block at")
	said := regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`).FindStringSubmatch(err.Error())
	if said == nil || !strings.Contains(err.Error(), in) {
		t.Fatalf("it says %v", err)
	}
	enough, err := strconv.ParseInt(said[1], 10, 64)
	must(t, err)
	for _, workers := range []int{1, 8} {
		got, log, err := convert(enough+8*units.MiB*int64(workers-1), workers)
		must(t, err)
		if got != want || !strings.Contains(log, "beginning again") {
			t.Errorf("%d workers: the same bytes: %v; it says %s", workers, got == want, log)
		}
	}
}

// A table that compresses well has more blocks in a file than its bytes let expect. Their
// layout keeps to the memory: it is divided anew for them, or what would do is named, and does.
func TestManyBlocks(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.avro")
	const rows = 200_000
	text := strings.Repeat("x", 1000)
	row := append(binary.AppendVarint(nil, int64(len(text))), text...)
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: `"string"`, Codec: "deflate"})
	must(t, err)
	for range rows {
		must(t, w.Append(row, 1))
	}
	must(t, w.Close())
	must(t, os.WriteFile(in, file.Bytes(), 0o666))

	var given int64
	convert := func(limit int64) (log, sum string, err error) {
		var lines bytes.Buffer
		rep, err := Convert(t.Context(), &Options{
			Inputs: []string{in}, Output: filepath.Join(dir, "out.trv"), Memory: limit, Workers: 2, IfExists: IfExistsReplace,
			BlockSize: units.KiB, Codec: "deflate", Log: slog.New(slog.NewTextHandler(&lines, nil)),
			hooks: hooks{divide: func(m *memory.Share) { given = m.Group }},
		})
		if err == nil {
			sum = rep.Outputs[0].XXH64
		}
		return lines.String(), sum, err
	}
	const layout = rows / 2 * 72 // a block has two rows, and takes 72 bytes
	_, want, err := convert(units.GiB)
	must(t, err)
	_, _, err = convert(40 * units.MiB)
	wantExit(t, err, exit.StatusRefused, "is too little for a file whose layout takes 6.9 MiB")
	enough, err := strconv.ParseInt(regexp.MustCompile(`\((\d+) bytes\)`).FindStringSubmatch(err.Error())[1], 10, 64)
	must(t, err)
	log, got, err := convert(enough)
	must(t, err)
	if got != want || !strings.Contains(log, "beginning again") || given < layout {
		t.Errorf("in %d bytes, %d of them for a layout of %d: the same bytes: %v; it says %s", enough, given, layout, got == want, log)
	}
}

// Values that do not fit the memory as it is divided are merged with another division, or what
// would do is named, and does.
func TestCompactLargeValues(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	must(t, os.Mkdir(in, 0o777))
	for i := range 3 {
		stringsFile(t, filepath.Join(in, fmt.Sprint(i, ".avro")), 10+i, 3_000_000+i)
		_, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: out, IfExists: IfExistsAppend, FileSize: 64 * units.MiB, Memory: units.GiB})
		must(t, err)
	}
	compact := func(limit int64, divide func(*memory.Share)) (*report.Report, string, error) {
		var lines bytes.Buffer
		rep, err := Compact(t.Context(), &Options{
			Output: out, Memory: limit, Workers: 2, Log: slog.New(slog.NewTextHandler(&lines, nil)), hooks: hooks{divide: divide},
		})
		return rep, lines.String(), err
	}
	_, _, err := compact(24*units.MiB, nil)
	wantExit(t, err, exit.StatusRefused, "it needs at least")
	divisions := 0
	rep, log, err := compact(64*units.MiB, func(m *memory.Share) {
		if divisions++; divisions == 1 {
			m.Shuffle = 3 * units.MiB
		}
	})
	must(t, err)
	if c := rep.Run.Compacted; c.Files != 3 || c.Into != 1 || c.Rows != 6 || !strings.Contains(log, "beginning again") {
		t.Errorf("%+v; it says %s", c, log)
	}
}

// A failure that is not for a large block is returned.
func TestMakeRoom(t *testing.T) {
	if err := new(job).makeRoom(exit.ErrChanged); err != exit.ErrChanged {
		t.Errorf("another failure: %v", err)
	}
	if err := new(job).makeRoom(nil); err != nil {
		t.Error(err)
	}
}

// A survey that is given up because a block after the damage does not fit the memory leaves
// nothing of what it found: what is skipped is counted, as with memory to spare.
func TestSurveyGivenUpForMemory(t *testing.T) {
	for _, how := range []string{CorruptSkipBlock, CorruptSkipFile} {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprint(how, workers), func(t *testing.T) {
				dir := t.TempDir()
				a, b := filepath.Join(dir, "a.avro"), filepath.Join(dir, "b.avro")
				stringsFile(t, a, 10, 20, 30)
				stringsFile(t, b, 10, 4_000_000, 20)
				data, err := os.ReadFile(a)
				must(t, err)
				block := slices.Clone(data[len("Obj\x01\x02\x16avro.schema\x10\"string\"\x00")+16:])
				block[len(block)-16-31] = 1 // the last row's length: -1
				must(t, os.WriteFile(a, append(data, block...), 0o666))
				var want []byte
				for i, limit := range []int64{units.GiB, 80*units.MiB + 16*units.MiB*int64(workers-1)} {
					var lines bytes.Buffer
					out := filepath.Join(dir, fmt.Sprint(i, ".trv"))
					rep, err := Convert(t.Context(), &Options{
						Inputs: []string{a, b}, Output: out, Memory: limit, Workers: workers, OnCorrupt: how,
						Log:   slog.New(slog.NewTextHandler(&lines, nil)),
						hooks: hooks{divide: func(m *memory.Share) { m.ReadShare = min(m.ReadShare, m.ReadLarge/4) }},
					})
					wantExit(t, err, exit.StatusSome, "damaged input was skipped")
					if again := strings.Contains(lines.String(), "too large for the memory"); again != (i == 1) {
						t.Fatalf("of %d bytes of memory: begins again for a large block: %v", limit, again)
					}
					if len(rep.Skipped) != 1 || rep.Counters.SkippedBytes == 0 {
						t.Errorf("of %d bytes of memory: %+v", limit, rep.Counters.SkippedCounters)
					}
					got, err := os.ReadFile(out)
					must(t, err)
					if want == nil {
						want = got
					}
					if !bytes.Equal(want, got) {
						t.Error("the bytes differ")
					}
				}
			})
		}
	}
}

// What a reader needs for a block counts what is made of rows beside it, so that the memory
// divided anew has room for both.
func TestRoomForRowsBesideBlock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in.avro")
	stringsFile(t, name, 1_000_000)
	file, err := os.ReadFile(name)
	must(t, err)
	src, size, lim := bytes.NewReader(file), int64(len(file)), ocf.Limits{ReadBytes: 4096, WindowBytes: 4096}
	h, err := ocf.ReadHeader(src, size, name, lim)
	must(t, err)
	read := func(most int64) error {
		room := memory.NewReadPool(0, most).Reader(t.Context())
		must(t, memory.RowMemory{ReadMemory: room}.Acquire(units.MiB))
		r := ocf.NewReader(lim, room)
		defer r.Close()
		must(t, r.Open(src, name, size, h, 0, size))
		_, err := r.Next()
		must(t, err)
		data, last, err := r.Window(0)
		for !last && err == nil {
			data, last, err = r.Window(len(data))
		}
		return err
	}
	need := stages.Large{Read: 4_500_000}
	failed := read(need.Read)
	if failed == nil {
		t.Fatal("no error with too little")
	}
	more, _ := need.With(failed)
	if more.Read <= need.Read {
		t.Fatalf("%d bytes are too little, and %d are said to be needed: %v", need.Read, more.Read, failed)
	}
	must(t, read(more.Read))
}
