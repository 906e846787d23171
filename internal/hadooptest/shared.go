package hadooptest

import (
	"sync"
	"testing"
)

// shared is the cluster that a package's tests have in common.
var shared struct {
	once sync.Once
	o    Options
	c    *Cluster
	stop func()
	err  error
}

// Shared returns the cluster that all tests of a package share, started by the first
// that asks. The package's TestMain is to be [Main]. Tests use folders of their own, and
// kill nothing.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	shared.once.Do(func() { shared.c, shared.stop, shared.err = Run(shared.o) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.c
}

// Main runs a package's tests, and stops what [Shared] started with the options.
func Main(m *testing.M, o Options) {
	shared.o = o
	m.Run()
	if shared.stop != nil {
		shared.stop()
	}
}
