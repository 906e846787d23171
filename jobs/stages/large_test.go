package stages

import (
	"errors"
	"testing"

	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/shuffle"
)

// What a large row needs is asked of all stages.
func TestLargeNeeds(t *testing.T) {
	n := memory.Needs{Reducer: 1, Shuffle: func(int) int64 { return units.MiB }}
	Large{Read: 7}.add(&n, false)
	if n.Read != 7 || n.Reducer != 1 || n.Shuffle(3) != units.MiB {
		t.Errorf("a large block: %+v", n)
	}
	Large{Read: 7, row: units.MiB}.add(&n, true)
	if n.Reducer < 2*units.MiB || n.Shuffle(3) < 2*units.MiB {
		t.Errorf("a large row: %+v, shuffle %d", n, n.Shuffle(3))
	}
}

// A value that the shuffle cannot take is a reason to divide the memory anew: for fewer
// workers, or what would do is said.
func TestMakeRoomForAValue(t *testing.T) {
	tooLarge := func(writers int, limit, value int64) error {
		s, err := shuffle.New(&shuffle.Options{Memory: limit, Writers: writers, TempDirs: []string{t.TempDir()}})
		jobtest.Must(t, err)
		defer func() { jobtest.Must(t, s.Close()) }()
		w := s.NewWriter()
		_, err = w.Buffer(int(value))
		return err
	}
	for _, writers := range []int{1, 2, 16} {
		for _, value := range []int64{100 * units.KiB, 3 * units.MiB, 40 * units.MiB} {
			var n memory.Needs
			n.Shuffle = func(workers int) int64 { return shuffle.MemoryFor(workers, 0) }
			err := tooLarge(writers, n.Shuffle(writers), value)
			var v *shuffle.ValueError
			if !errors.As(err, &v) || !errors.Is(err, shuffle.ErrMemory) || v.Need < value {
				t.Fatalf("%d writers, a value of %d bytes: %v", writers, value, err)
			}
			Large{value: v.Need}.add(&n, false)
			if err := tooLarge(writers, n.Shuffle(writers), value); err != nil {
				t.Errorf("%d writers, a value of %d bytes, with what it needs: %v", writers, value, err)
			}
		}
	}
}
