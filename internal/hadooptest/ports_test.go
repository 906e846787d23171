package hadooptest

import (
	"errors"
	"net"
	"slices"
	"syscall"
	"testing"
)

// No port is given twice while its range is held, and none that somebody listens on.
func TestPorts(t *testing.T) {
	var seen []string
	for range 3 {
		r, err := takeRange()
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		taken := append(r.take(12), r.take(2)...)
		for _, addr := range taken {
			if slices.Contains(seen, addr) {
				t.Errorf("%s is given twice", addr)
			}
			l, err := net.Listen("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close() // in the end, so that the next range misses it
		}
		seen = append(seen, taken...)
		first := r.keeper.Addr().(*net.TCPAddr).Port
		if _, err := tryRange(first); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the range is taken twice: %v", err)
		}
		r.close()
		if _, err := tryRange(first); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("a range with listeners is taken: %v", err)
		}
	}
}
