package trevni

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// readAll reads a file that may be anything, and returns its header and table.
func readAll(file []byte, budget int) (*Header, *table, error) {
	opt := &ReaderOptions{MaxBlockRaw: 1 << 20, MaxHeader: 1 << 20}
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), opt)
	if err != nil {
		return nil, nil, err
	}
	tb, err := readTable(r, budget)
	return r.Header(), tb, err
}

// ours reports whether an error is of a kind that bad bytes may give.
func ours(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrLimit) || errors.Is(err, errBudget)
}

// TestFlips changes every byte of files with a checksum in several ways: either the
// metadata is not what it was, or the data is the same, or there is an error.
func TestFlips(t *testing.T) {
	for codec, sum := range map[string]string{"null": "crc-32", "snappy": "crc32", "deflate": "crc32"} {
		file := small(t, codec, sum)
		h, want, err := readAll(file, 1<<20)
		must(t, err)
		refused, flips := 0, []byte{0x01, 0x02, 0x80, 0xff}
		for i := range file {
			for _, flip := range flips {
				bad := bytes.Clone(file)
				bad[i] ^= flip
				bh, got, err := readAll(bad, 1<<20)
				switch {
				case err != nil && !ours(err):
					t.Fatalf("%s: byte %d ^ %#x: error of no kind: %v", codec, i, flip, err)
				case err != nil:
					refused++
				case reflect.DeepEqual(bh, h) && !reflect.DeepEqual(got, want):
					t.Fatalf("%s: byte %d ^ %#x: other data and no error", codec, i, flip)
				}
			}
		}
		if all := len(file) * len(flips); refused < all*3/4 {
			t.Errorf("%s: only %d of %d changes refused", codec, refused, all)
		}
	}
}

// TestCuts cuts files at every length: all but the whole is an error.
func TestCuts(t *testing.T) {
	for _, codec := range []string{"null", "snappy", "deflate"} {
		file := small(t, codec, "null")
		for n := range file {
			if _, _, err := readAll(file[:n], 1<<20); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s: cut at %d of %d: error is %v, want ErrCorrupt", codec, n, len(file), err)
			}
		}
	}
}

// TestGaps checks that bytes that belong to nothing, before a column or after all,
// do no harm, and that columns which share bytes are refused.
func TestGaps(t *testing.T) {
	ok := one(2, oneStart, join(words(1, 2, 2, 2), []byte{2, 4})...)
	_, want, err := readAll(ok.bytes(), 100)
	must(t, err)
	for name, file := range map[string][]byte{
		"before": with(ok, func(h *rawHeader) { h.starts[0] += 3; h.rest = join([]byte("gap"), h.rest) }),
		"behind": with(ok, func(h *rawHeader) { h.rest = append(h.rest, "gap"...) }),
	} {
		if _, got, err := readAll(file, 100); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	shared := with(ok, func(h *rawHeader) {
		second := props(keyName, "b", keyType, "long")
		at := oneStart + uint64(len(second)) + startSize
		h.columns, h.column, h.starts = 2, join(h.column, second), []uint64{at, at + 4}
	})
	_, _, err = readAll(shared, 100)
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "1 blocks in the 0 bytes left") {
		t.Errorf("shared: error is %v, want ErrCorrupt", err)
	}
}
