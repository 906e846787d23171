package ocf

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// What is wrong with a block that is damaged in more than one place follows from the file
// alone, not from the buffers it is read with: its marker first, then its data.
func TestErrorOfAnyBuffers(t *testing.T) {
	raw := lines(3000)
	limits := []Limits{{}, {ReadBytes: 4 << 10, WindowBytes: 16 << 10}, {WindowBytes: 1 << 10}, {ReadBytes: minRead, WindowBytes: minWindow},
		{ReadBytes: 1 << 10, WindowBytes: 1 << 20}}
	for _, codec := range written {
		t.Run(codec, func(t *testing.T) {
			sound := container(t, codec, piece{3000, raw})
			data := len(sound) - SyncSize - len(compress(t, codec, raw))
			for seed := range uint64(40) {
				rnd := rand.New(rand.NewPCG(seed, 1))
				file := bytes.Clone(sound)
				for range rnd.IntN(3) {
					at := data + rnd.IntN(len(file)-SyncSize-data)
					copy(file[at:len(file)-SyncSize], "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"[:1+rnd.IntN(8)])
				}
				marked := seed%2 == 0
				if marked {
					file[len(file)-1-rnd.IntN(SyncSize)] ^= 0x55
				}
				want := errorWith(t, file, limits[0])
				if marked && want != errorWith(t, marker(sound, file), limits[0]) {
					t.Errorf("seed %d: %s, and the marker is bad", seed, want)
				}
				for _, lim := range limits[1:] {
					if got := errorWith(t, file, lim); got != want {
						t.Errorf("seed %d, %+v: %s, with large buffers: %s", seed, lim, got, want)
					}
				}
			}
		})
	}
}

// marker returns the sound file with the marker of another after its block.
func marker(sound, file []byte) []byte {
	n := len(sound) - SyncSize
	return append(bytes.Clone(sound[:n]), file[n:]...)
}

// errorWith reads a file of one block and returns the error.
func errorWith(t *testing.T, file []byte, lim Limits) string {
	t.Helper()
	_, err := readAll(open(t, file, lim, nil, 0, int64(len(file))), keepNone)
	if err == nil {
		return "none"
	}
	return err.Error()
}

// A marker that is bad is told before the memory that the data would need.
func TestMarkerBeforeMemory(t *testing.T) {
	raw := lines(3000)
	for _, codec := range written {
		file := container(t, codec, piece{3000, raw})
		file[len(file)-1] ^= 0x55
		want := errorWith(t, file, Limits{})
		r := open(t, file, Limits{ReadBytes: minRead, WindowBytes: 1 << 10}, &account{}, 0, int64(len(file)))
		if _, err := readAll(r, keepAll); err == nil || err.Error() != want {
			t.Errorf("%s: %v, with memory: %s", codec, err, want)
		}
	}
}
