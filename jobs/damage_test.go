package jobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/report"
	"avro2trevni/trevni"
)

const blocksSchema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"s","type":"string"}]}`

// blockSpan is a block of a file made by blocksOf: its bytes, and its rows' ids.
type blockSpan struct {
	from, to int64
	ids      []int64
}

// blocksOf makes a file of blocks of so many rows, whose ids count up from first.
func blocksOf(t testing.TB, codec string, first int64, rows ...int) ([]byte, []blockSpan) {
	t.Helper()
	var file bytes.Buffer
	sync := [ocf.SyncSize]byte{0xfe, 'm', 'a', 'r', 'k', 'e', 'r', 0, 1, 2, 3, 4, 5, 6, 7, 0x81}
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: blocksSchema, Codec: codec, Sync: sync, BlockBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	var spans []blockSpan
	for _, n := range rows {
		b := blockSpan{from: int64(file.Len())}
		var raw []byte
		for range n {
			raw = appendRow(raw, first)
			b.ids = append(b.ids, first)
			first++
		}
		if err := w.Append(raw, n); err != nil {
			t.Fatal(err)
		}
		b.to = int64(file.Len())
		spans = append(spans, b)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), spans
}

func appendRow(b []byte, id int64) []byte {
	text := fmt.Sprint("row ", id*id)
	return append(binary.AppendVarint(binary.AppendVarint(b, id), int64(len(text))), text...)
}

// idsIn returns the ids of the files of a job, after checking that each row is one that
// appendRow makes if torn is not wanted.
func idsIn(t *testing.T, m *storagetest.Mem, o *Options, r *report.Report, torn bool) []int64 {
	t.Helper()
	var ids []int64
	all := m.Files()
	for _, out := range r.Outputs {
		name := out.Path
		if !o.Single() {
			name = o.Output + "/" + name
		}
		ids = append(ids, idsOf(t, all[name], torn)...)
	}
	return ids
}

func idsOf(t testing.TB, file string, torn bool) []int64 {
	t.Helper()
	r, err := trevni.NewReader(strings.NewReader(file), int64(len(file)), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := r.Column(0)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := r.Column(1)
	if err != nil {
		t.Fatal(err)
	}
	var all []int64
	for {
		var id [1]int64
		var text [1][]byte
		_, err1 := ids.ReadLongs(id[:])
		_, err2 := texts.ReadBytes(text[:])
		if err1 == io.EOF && err2 == io.EOF {
			return all
		}
		must(t, errors.Join(err1, err2))
		if want := fmt.Sprint("row ", id[0]*id[0]); string(text[0]) != want && !torn {
			t.Fatalf("row %d holds %q", id[0], text[0])
		}
		all = append(all, id[0])
	}
}

// intact returns the ids of the blocks that a range of damage leaves whole.
func intact(spans []blockSpan, from, to int64) (ids []int64, hit []blockSpan) {
	for _, b := range spans {
		if b.to <= from || b.from >= to {
			ids = append(ids, b.ids...)
		} else {
			hit = append(hit, b)
		}
	}
	return ids, hit
}

// skipJob converts files in memory.
func skipJob(t testing.TB, o Options, files map[string][]byte) (*storagetest.Mem, *Options, *report.Report, error) {
	t.Helper()
	m := storagetest.NewMem()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		m.Write("/in/"+name, string(files[name]))
	}
	o.FS, o.Inputs, o.Output, o.Memory, o.TempDirs = m, []string{"/in"}, "/out", 64<<20, []string{os.TempDir()}
	rep, err := Convert(t.Context(), &o)
	return m, &o, rep, err
}

// sweep says which bytes of a file of n a sweep damages: all with FLIPS=all, else some
// hundred.
func sweep(n int) int {
	if os.Getenv("FLIPS") == "all" {
		return 1
	}
	return 1 + n/150
}

// Damage at each byte of a file of several blocks, which lies between two that are
// whole and is cut into several splits: skip-block gives the rows of all blocks that it
// does not touch, and tells of the one that it does; skip-file gives the other files'.
// The same whatever the workers.
func TestSkipDamageAtEachByte(t *testing.T) {
	thin := jobtest.Thin(t, 8)
	for _, codec := range []string{"null", "snappy", "deflate"} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			before, beforeSpans := blocksOf(t, codec, 0, 5, 6)
			file, spans := blocksOf(t, codec, 1000, 30, 1, 40, 2, 50, 45, 7, 33, 60, 12)
			after, afterSpans := blocksOf(t, codec, 5000, 3)
			others, _ := intact(slices.Concat(beforeSpans, afterSpans), -1, -1)
			for at := int(spans[0].from); at < len(file); at += sweep(len(file)) * thin {
				bad := bytes.Clone(file)
				bad[at] ^= byte(1 + at%255)
				files := map[string][]byte{"a.avro": before, "b.avro": bad, "c.avro": after}
				ids, hit := intact(spans, int64(at), int64(at)+1)
				ids = slices.Concat(others[:11], ids, others[11:])
				checkSkipBlock(t, fmt.Sprintf("byte %d", at), codec, files, ids, hit[0])
				checkSkipFile(t, fmt.Sprintf("byte %d", at), files, others)
			}
		})
	}
}

// checkSkipBlock converts with skip-block, and wants these ids and perhaps those of the
// block that was hit, or whatever its damaged rows seem to be.
func checkSkipBlock(t *testing.T, what, codec string, files map[string][]byte, want []int64, hit blockSpan) {
	t.Helper()
	o := Options{OnCorrupt: CorruptSkipBlock, SplitSize: 1 << 10, Workers: 1}
	m, done, rep, err := skipJob(t, o, files)
	o.Workers = 3
	m2, _, report2, err2 := skipJob(t, o, files)
	if d := cmp.Diff(rep.Outputs, report2.Outputs); d != "" || exit.Code(err) != exit.Code(err2) {
		t.Fatalf("%s: other workers, other outputs: %v, %v\n%s", what, err, err2, d)
	}
	if d := cmp.Diff(rep.Skipped, report2.Skipped); d != "" {
		t.Fatalf("%s: other workers skip otherwise:\n%s", what, d)
	}
	if d := cmp.Diff(idsIn(t, m, done, rep, true), idsIn(t, m2, done, report2, true)); d != "" {
		t.Fatal(d)
	}
	got := idsIn(t, m, done, rep, codec != "snappy")
	switch exit.Code(err) {
	case exit.StatusDone: // it cannot be seen, or, under a checksum, changes nothing: a copy from elsewhere
		if rep.Skipped != nil || codec == "snappy" && len(got) != len(want)+len(hit.ids) {
			t.Errorf("%s: not noticed: %d rows, skipped %v", what, len(got), rep.Skipped)
		}
		n := slices.IndexFunc(want, func(id int64) bool { return id > hit.ids[0] })
		if rest := len(want) - n; len(got) >= len(want) {
			got = slices.Concat(got[:n], got[len(got)-rest:]) // without those of the block
		}
	case exit.StatusSome:
		s := rep.Skipped
		if len(s) != 1 || s[0].Path != "/in/b.avro" || s[0].File || len(s[0].Ranges) != 1 || s[0].Blocks != 1 ||
			s[0].Ranges[0].Offset != hit.from || s[0].Bytes != hit.to-hit.from {
			t.Errorf("%s: block at %d to %d hit, skipped %+v", what, hit.from, hit.to, s)
		}
		if s[0].Unknown == 0 && s[0].Rows != int64(len(hit.ids)) && hit.from != headAt(what) {
			t.Errorf("%s: %d rows said to be lost, of %d", what, s[0].Rows, len(hit.ids))
		}
		if !strings.Contains(err.Error(), "1 block in 1 file") {
			t.Errorf("%s: %v", what, err)
		}
	default:
		t.Fatalf("%s: %v", what, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s: rows of the blocks that are whole (-want +got):\n%s", what, d)
	}
}

// headAt returns the offset that "byte N" names: a damaged count is believed.
func headAt(what string) (at int64) {
	_, _ = fmt.Sscanf(what, "byte %d", &at)
	return at
}

func checkSkipFile(t *testing.T, what string, files map[string][]byte, others []int64) {
	t.Helper()
	m, o, rep, err := skipJob(t, Options{OnCorrupt: CorruptSkipFile, SplitSize: 1 << 10, Workers: 2}, files)
	got := idsIn(t, m, o, rep, true)
	switch exit.Code(err) {
	case exit.StatusDone:
		if len(got) <= len(others) {
			t.Errorf("%s: no damage noticed, and %d rows", what, len(got))
		}
	case exit.StatusSome:
		if d := cmp.Diff(others, got); d != "" {
			t.Errorf("%s: rows of the other files (-want +got):\n%s", what, d)
		}
		s := rep.Skipped[0]
		if !s.File || s.Bytes != s.Size || s.Bytes != int64(len(files["b.avro"])) || s.Blocks != 10 || len(rep.Inputs) != 2 {
			t.Errorf("%s: %+v", what, s)
		}
	default:
		t.Fatalf("%s: %v", what, err)
	}
}

// Fail says what leaving the block out would lose, and publishes nothing.
func TestFailSaysWhatIsLost(t *testing.T) {
	file, spans := blocksOf(t, "snappy", 0, 30, 40, 50)
	file[spans[1].from+9]++
	for _, splitSize := range []int64{1 << 10, 1 << 20} {
		m, _, _, err := skipJob(t, Options{SplitSize: splitSize}, map[string][]byte{"a.avro": file})
		wantExit(t, err, exit.StatusFailed, fmt.Sprintf("ocf: /in/a.avro: block at %d:", spans[1].from))
		wantExit(t, err, exit.StatusFailed, fmt.Sprintf("; --on-corrupt skip-block would leave out %d bytes from %d on, 40 rows",
			spans[1].to-spans[1].from, spans[1].from))
		for name := range m.Files() {
			if strings.HasPrefix(name, "/out") {
				t.Errorf("left: %s", name)
			}
		}
	}
}

// files of which nothing can be used: empty ones, with a damaged header or schema, or
// without an end to the first block.
func TestSkipDamagedHeaders(t *testing.T) {
	whole, spans := blocksOf(t, "deflate", 0, 3, 4)
	bad := map[string][]byte{
		"empty":        {},
		"magic":        append([]byte("Obj2"), whole[4:]...),
		"cut":          whole[:spans[0].from-3],
		"codec":        bytes.Replace(whole, []byte("deflate"), []byte("deflatf"), 1),
		"schema":       bytes.Replace(whole, []byte(`"type"`), []byte(`"typ["`), 1),
		"text":         []byte("id,s\n1,x\n"),
		"first marker": whole[:spans[0].to-1],
	}
	for name, data := range bad {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []string{CorruptSkipBlock, CorruptSkipFile} {
				m, o, rep, err := skipJob(t, Options{OnCorrupt: mode}, map[string][]byte{"a.avro": data, "b.avro": whole})
				wantExit(t, err, exit.StatusSome, "damaged input was skipped")
				if got := idsIn(t, m, o, rep, false); len(got) != 7 {
					t.Errorf("%s: %d rows", mode, len(got))
				}
				s := rep.Skipped
				if len(s) != 1 || s[0].Path != "/in/a.avro" || !strings.Contains(s[0].Cause, "/in/a.avro") {
					t.Errorf("%s: %+v", mode, s)
				}
				if header := name != "first marker"; (header || mode == CorruptSkipFile) != s[0].File {
					t.Errorf("%s: whole file %v", mode, s[0].File)
				}
			}
			_, _, _, err := skipJob(t, Options{}, map[string][]byte{"a.avro": data, "b.avro": whole})
			if code := exit.Code(err); code != exit.StatusFailed && code != exit.StatusRefused {
				t.Errorf("fail: %v", err)
			}
		})
	}
}

// What may be skipped is bounded, and not everything may.
func TestMaxSkipped(t *testing.T) {
	damage := func(first int64) []byte {
		file, spans := blocksOf(t, "snappy", first, 20, 20, 20, 20)
		file[spans[0].from+9]++
		file[spans[2].from+9]++
		return file
	}
	whole, _ := blocksOf(t, "snappy", 900, 20, 20)
	files := map[string][]byte{"a.avro": damage(0), "b.avro": damage(100), "c.avro": whole}
	tests := []struct {
		mode, max string
		exit      int
		says      string
	}{
		{CorruptSkipBlock, "", exit.StatusSome, "4 blocks in 2 files"},
		{CorruptSkipBlock, "4", exit.StatusSome, "80 rows"},
		{CorruptSkipBlock, "3", exit.StatusFailed, "more is damaged than --max-skipped 3 allows: 4 blocks in 2 files"},
		{CorruptSkipBlock, "0", exit.StatusFailed, "first: ocf: /in/a.avro: block at"},
		{CorruptSkipBlock, "50%", exit.StatusSome, ""},
		{CorruptSkipBlock, "20%", exit.StatusFailed, "more is damaged"},
		{CorruptSkipFile, "2", exit.StatusSome, "left out whole: 2 files"},
		{CorruptSkipFile, "1", exit.StatusFailed, "more is damaged"},
		{CorruptSkipFile, "50%", exit.StatusFailed, "more is damaged"},
		{CorruptSkipFile, "90%", exit.StatusSome, ""},
		{CorruptSkipBlock, "x", exit.StatusUsage, `max skipped "x"`},
		{CorruptSkipBlock, "-1", exit.StatusUsage, "must be a number of blocks"},
		{CorruptSkipBlock, "101%", exit.StatusUsage, "percentage"},
		{CorruptSkipBlock, "NaN%", exit.StatusUsage, "percentage"},
		{CorruptFail, "3", exit.StatusUsage, "nothing is skipped unless"},
		{"ignore", "", exit.StatusUsage, "must be fail, skip-block or skip-file"},
	}
	for _, tt := range tests {
		m, _, rep, err := skipJob(t, Options{OnCorrupt: tt.mode, MaxSkipped: tt.max}, files)
		wantExit(t, err, tt.exit, tt.says)
		_, published := m.Files()["/out/_SUCCESS"]
		if published != (tt.exit == exit.StatusSome) {
			t.Errorf("%s %s: published %v", tt.mode, tt.max, published)
		}
		if published {
			c := rep.Counters
			if c.SkippedBytes == 0 || c.SkippedBlocks != int64(len(files)-1)*map[string]int64{CorruptSkipBlock: 2, CorruptSkipFile: 4}[tt.mode] {
				t.Errorf("%s %s: %+v", tt.mode, tt.max, c)
			}
		}
	}
	for _, mode := range []string{CorruptSkipBlock, CorruptSkipFile} {
		file, spans := blocksOf(t, "snappy", 0, 20)
		file[spans[0].from+9]++
		_, _, _, err := skipJob(t, Options{OnCorrupt: mode}, map[string][]byte{"a.avro": file})
		wantExit(t, err, exit.StatusFailed, "/in/a.avro")
		_, _, _, err = skipJob(t, Options{OnCorrupt: mode}, map[string][]byte{"a.avro": nil, "b.avro": []byte("text")})
		wantExit(t, err, exit.StatusFailed, "no input is left, and 2 left out as damaged: ocf: /in/a.avro")
	}
}

// Undamaged inputs give the same bytes whatever is done about damage, also where data
// hold what looks like a block.
func TestSkippingChangesNothingElse(t *testing.T) {
	for _, name := range []string{"fastavro-1.13.1-flat-many-blocks.avro", "handmade-sync-in-data.avro", "handmade-false-block-in-data.avro"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "avro", name))
		must(t, err)
		for _, size := range []int64{1 << 10, 3 << 10, 1 << 20} {
			var want []report.Output
			for _, mode := range []string{CorruptFail, CorruptSkipBlock, CorruptSkipFile} {
				_, _, rep, err := skipJob(t, Options{OnCorrupt: mode, SplitSize: size}, map[string][]byte{"a.avro": data})
				must(t, err)
				if want == nil {
					want = rep.Outputs
				}
				if d := cmp.Diff(want, rep.Outputs); d != "" {
					t.Errorf("%s in splits of %d, %s: %s", name, size, mode, d)
				}
			}
		}
	}
}

// Any number of bytes anywhere, of several files, overwritten, taken out or put in: what
// is in the output is whole blocks, in order; the same with any workers and memory.
func TestSkipRandomDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(avrotest.Seed(t), 0))
	for range 60 {
		files := map[string][]byte{}
		rowsOf := map[int64][]int64{} // a block's ids by its first
		for i := range 3 {
			rows := make([]int, 1+r.IntN(12))
			for k := range rows {
				rows[k] = 1 + r.IntN(60)
			}
			file, spans := blocksOf(t, "snappy", int64(1000*i), rows...)
			for _, b := range spans {
				rowsOf[b.ids[0]] = b.ids
			}
			for range r.IntN(3) {
				file = hurt(r, file, int(spans[0].from))
			}
			files[fmt.Sprint(i, ".avro")] = file
		}
		o := Options{OnCorrupt: CorruptSkipBlock, SplitSize: 1<<10 + r.Int64N(2000), Workers: 1, FileSize: 4 << 10, BlockSize: 1 << 10}
		m, done, rep, err := skipJob(t, o, files)
		if code := exit.Code(err); code == exit.StatusFailed && strings.Contains(err.Error(), "left no row") {
			continue
		} else if code != exit.StatusDone && code != exit.StatusSome {
			t.Fatal(err)
		}
		got := idsIn(t, m, done, rep, false)
		for rest, last := got, int64(-1); len(rest) > 0; {
			ids := rowsOf[rest[0]]
			if len(ids) == 0 || len(ids) > len(rest) || !slices.Equal(ids, rest[:len(ids)]) || ids[0] <= last {
				t.Fatalf("what begins with %d is no whole block", rest[0])
			}
			last, rest = ids[0], rest[len(ids):]
		}
		o.Workers = 1 + r.IntN(6)
		_, _, again, _ := skipJob(t, o, files)
		if d := cmp.Diff(rep.Outputs, again.Outputs); d != "" {
			t.Fatalf("%d workers: %s", o.Workers, d)
		}
		if d := cmp.Diff(rep.Skipped, again.Skipped); d != "" {
			t.Fatalf("%d workers: %s", o.Workers, d)
		}
	}
}

// hurt damages a stretch of a file after its header.
func hurt(r *rand.Rand, file []byte, header int) []byte {
	if len(file) == header {
		return file // what was cut off before left no more
	}
	from := header + r.IntN(len(file)-header)
	to := min(len(file), from+1+r.IntN(200))
	switch r.IntN(3) {
	case 0:
		return slices.Concat(file[:from], file[to:])
	case 1:
		return slices.Concat(file[:from], bytes.Repeat([]byte{byte(r.IntN(256))}, to-from), file[from:])
	}
	file = bytes.Clone(file)
	for i := from; i < to; i++ {
		file[i] = byte(r.IntN(256))
	}
	return file
}
