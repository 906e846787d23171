package shuffle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/tuple"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// bytesFile is a file that is only read.
type bytesFile struct{ *bytes.Reader }

func (bytesFile) WriteAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (bytesFile) Close() error                       { return nil }

// runBytes writes a run file of tuples and returns it.
func runBytes(t testing.TB, tuples []tuple.Tuple, fences int) []byte {
	t.Helper()
	fs := newMemFiles()
	s := mustNew(t, Options{Memory: 64 << 20, Writers: 1, Files: fs})
	s.plan.fences = fences
	w := s.NewWriter()
	for _, x := range tuples {
		if err := put(w, x, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Seal(); err != nil {
		t.Fatal(err)
	}
	forceSpill(s)
	for _, f := range fs.files {
		data := slices.Clone(f.data)
		mustClose(t, s)
		return data
	}
	t.Fatal("no run file")
	return nil
}

// readRun opens a run file and returns all its tuples with notes and values, by index
// and again by seeking each, which must agree.
func readRun(data []byte) (all []tuple.Tuple, err error) {
	r, err := openRun(bytesFile{bytes.NewReader(data)}, "run", int64(len(data)), newCache(16))
	if err != nil {
		return nil, err
	}
	var last tuple.Tuple
	for i := range r.count() {
		var e entry
		if err := r.entry(i, &e); err != nil {
			return nil, err
		}
		x := tuple.Tuple{Column: e.col, Row: e.row, Rows: e.rows, Values: e.values, Raw: e.raw, Size: e.size}
		if i > 0 && !tuple.Less(last.Column, last.Row, x.Column, x.Row) {
			return nil, r.misplaced(i)
		}
		if x.Value, err = readAll(r, &e, nil, int(e.size), source.readValue, source.verify); err != nil {
			return nil, err
		}
		if x.Note, err = readAll(r, &e, nil, int(e.note), source.readNote, source.verifyNote); err != nil {
			return nil, err
		}
		all = append(all, x)
		last = x
	}
	for i, x := range all {
		if at, err := r.seek(x.Column, x.Row); err != nil || at != int64(i) {
			return nil, fmt.Errorf("%w: seek of entry %d gives %d, %w", ErrCorrupt, i, at, err)
		}
	}
	return all, nil
}

// TestRunFile writes and reads run files of any number of tuples and fences.
func TestRunFile(t *testing.T) {
	for _, n := range []int{1, 2, perBlock - 1, perBlock, perBlock + 1, 2 * perBlock, 1000} {
		for _, fences := range []int{1, 2, 3, 256} {
			want := makeTuples(shape{columns: 1, tuples: n, maxRows: 5, maxSize: 90, seed: 7})[0]
			got, err := readRun(runBytes(t, want, fences))
			if err != nil || len(got) != n {
				t.Fatalf("%d tuples, %d fences: read %d, %v", n, fences, len(got), err)
			}
			for i, x := range got {
				if !bytes.Equal(x.Value, value(nil, &want[i])) || !bytes.Equal(x.Note, note(&want[i])) {
					t.Fatalf("%d tuples, %d fences: tuple %d differs", n, fences, i)
				}
			}
		}
	}
}

// TestDamage cuts a run file at every length and flips every byte: the outcome is an
// error that names path and offset, or the same data.
func TestDamage(t *testing.T) {
	good := runBytes(t, makeTuples(shape{columns: 2, tuples: 12, maxRows: 5, maxSize: 20, seed: 7})[1], 256)
	want, err := readRun(good)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, i int, data []byte) {
		got, err := readRun(data)
		var place *Error
		switch {
		case err == nil && !cmp.Equal(got, want):
			t.Fatalf("%s at %d: other data", what, i)
		case err != nil && (!errors.Is(err, ErrCorrupt) || !errors.As(err, &place)):
			t.Fatalf("%s at %d: %v", what, i, err)
		}
	}
	logStride(t)
	for i := 0; i < len(good); i += stride {
		check("cut", i, good[:i])
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		check("flip", i, bad)
		bad[i] = ^good[i]
		check("flip", i, bad)
	}
	check("longer", 0, append(slices.Clone(good), 0))
}

// TestForged changes bytes of each part after the tuples and makes the checksums right: what an
// index says is believed only where it can be.
func TestForged(t *testing.T) {
	good := runBytes(t, makeTuples(shape{columns: 1, tuples: perBlock + 3, maxRows: 5, maxSize: 20, seed: 7})[0], 256)
	foot := len(good) - footerSize
	index := foot - 3*blockSize // and what is before it
	missing := []string{
		"an entry of 0 rows", "an entry's value is outside the values", "an entry's note is outside the notes",
		"an index block is not in its place", "the parts do not add up to the file's size", "an entry is out of order",
	}
	for i := index; i < len(good); i++ {
		if i%blockSize > 2*entrySize && i%blockSize < blockNum && i < foot {
			continue // as the first entries
		}
		for _, b := range []byte{0, 255} {
			bad := slices.Clone(good)
			bad[i] = b
			_, err := readRun(repaired(bad))
			if err == nil {
				continue
			}
			if place := (*Error)(nil); !errors.Is(err, ErrCorrupt) || errors.As(err, &place) && !strings.Contains(err.Error(), fmt.Sprintf("run file run at %d: ", place.Offset)) {
				t.Fatalf("byte %d is %d: %v", i, b, err)
			}
			missing = slices.DeleteFunc(missing, func(want string) bool { return strings.Contains(err.Error(), want) })
		}
	}
	if len(missing) > 0 {
		t.Errorf("never seen: %q", missing)
	}
}

// TestDamageUnderShuffle damages the files of a shuffle at random: scans and merges
// give what was added, or an error.
func TestDamageUnderShuffle(t *testing.T) {
	all := makeTuples(shape{columns: 2, tuples: 300, maxRows: 3, maxSize: 300, seed: 3})
	rapid.Check(t, func(t *rapid.T) {
		fs := newMemFiles()
		s := mustNew(t, Options{Memory: 200 << 10, Writers: 1, fanIn: 2, Files: fs})
		defer mustClose(t, s)
		w := s.NewWriter()
		tuples := flat(all, 8)
		var err error
		for i, x := range tuples {
			if i == len(tuples)/2 {
				forceSpill(s)
				damage(t, fs)
			}
			if err = put(w, x, true); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Seal()
		}
		for _, col := range all {
			if err == nil {
				err = scanSame(s, col)
			}
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
	})
}

// damage changes a byte of some file, or cuts it.
func damage(t *rapid.T, fs *memFiles) {
	for _, f := range fs.files {
		if len(f.data) == 0 {
			continue
		}
		i := rapid.IntRange(0, len(f.data)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "cut") {
			f.data = f.data[:i]
		} else {
			f.data[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
		}
		return
	}
}

// FuzzRun reads any bytes as a run file, with the checksums made right so that the
// fuzzer gets after them: tuples or ErrCorrupt.
func FuzzRun(f *testing.F) {
	for _, n := range []int{1, 5, 80} {
		data := runBytes(f, makeTuples(shape{columns: 1, tuples: n, maxRows: 5, maxSize: 20, seed: 7})[0], 256)
		f.Add(data, false)
		f.Add(data, true)
		f.Add(data[:len(data)-9], true)
	}
	f.Add([]byte(nil), false)
	f.Fuzz(func(t *testing.T, data []byte, repair bool) {
		if repair {
			data = repaired(data)
		}
		if _, err := readRun(data); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
		scanRun(t, data)
	})
}

// scanRun scans a file of any bytes in a shuffle.
func scanRun(t *testing.T, data []byte) {
	s := mustNew(t, Options{Memory: 200 << 10, Writers: 1, Files: newMemFiles()})
	defer mustClose(t, s)
	f := bytesFile{bytes.NewReader(data)}
	r, err := openRun(f, "run", int64(len(data)), s.cache)
	if err != nil {
		return
	}
	r.refs = 1
	s.runs = append(s.runs, r)
	for _, col := range []uint32{0, r.box.minCol, r.box.maxCol} {
		sc := s.Scan(col, 0, math.MaxUint64)
		for n := int64(0); sc.Next(); n++ {
			if n > r.n {
				t.Fatal("more tuples than entries")
			}
			if _, err := sc.Value(nil); err != nil {
				break
			}
		}
		if err := sc.Close(); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrOverlap) {
			t.Fatal(err)
		}
	}
}

// repaired returns data with the magic and the checksums of footer, fences and index
// blocks made right.
func repaired(data []byte) []byte {
	at := len(data) - footerSize
	if at < 0 {
		return data
	}
	data = slices.Clone(data)
	le := binary.LittleEndian
	b := data[at:]
	foot := footer{n: int64(le.Uint32(b)), values: int64(le.Uint32(b[8:])), notes: int64(le.Uint32(b[16:]))}
	fences := foot.index() + foot.blocks()*blockSize
	if fences <= int64(at) {
		for i := foot.index(); i < fences; i += blockSize {
			p := data[i : i+blockSize]
			le.PutUint32(p[blockCRC:], crc32.Checksum(p[:blockCRC], castagnoli))
		}
		le.PutUint32(b[56:], crc32.Checksum(data[fences:at], castagnoli))
	}
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	copy(b[64:], magic)
	return data
}
