package hadooptest

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// Ports of clusters are below those that Linux gives to outgoing connections (from 32768
// on), so that a port which was free stays free until its daemon listens, and while that
// is down. They come in ranges; a listener on the first port of a range keeps other
// clusters on this machine from it, whichever process they belong to.
const (
	firstPort  = 12_000
	rangePorts = 32
	portRanges = 600
)

// portRange is a cluster's.
type portRange struct {
	keeper net.Listener
	free   []string // host:port
}

// takeRange finds an unused range.
func takeRange() (*portRange, error) {
	start := os.Getpid() // others are likely to start elsewhere
	for i := range portRanges {
		r, err := tryRange(firstPort + (start+i)%portRanges*rangePorts)
		if err == nil {
			return r, nil
		}
	}
	return nil, errors.New("hadooptest: no range of ports is free")
}

// tryRange takes the range from a port on, if none of its ports is in use.
func tryRange(first int) (*portRange, error) {
	keeper, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first))
	if err != nil {
		return nil, err
	}
	r := &portRange{keeper: keeper}
	for port := first + 1; port < first+rangePorts; port++ {
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		l, err := net.Listen("tcp", addr)
		if err == nil {
			err = l.Close()
		}
		if err != nil {
			return nil, errors.Join(err, keeper.Close())
		}
		r.free = append(r.free, addr)
	}
	return r, nil
}

// take returns n addresses of the range.
func (r *portRange) take(n int) []string {
	taken := r.free[:n:n]
	r.free = r.free[n:]
	return taken
}

// close gives the range back.
func (r *portRange) close() { _ = r.keeper.Close() } // a listener's
