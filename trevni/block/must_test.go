package block

import "testing"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newEncoder returns an encoder of what is known to be one.
func newEncoder(c Codec, sum Checksum) *Encoder {
	e, err := NewEncoder(Coding{c, sum})
	if err != nil {
		panic(err)
	}
	return e
}
