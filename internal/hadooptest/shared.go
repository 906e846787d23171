package hadooptest

import (
	"os"
	"sync"
	"testing"
)

// shared is the cluster that a package's tests have in common.
var shared struct {
	once sync.Once
	c    *Cluster
	stop func()
	err  error
}

// Shared returns a cluster of one DataNode that all tests of a package share, started
// by the first that asks. The package's TestMain is to be [Main]. Tests use folders of
// their own, and kill nothing.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	shared.once.Do(func() { shared.c, shared.stop, shared.err = Run(Options{}) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.c
}

// Main runs a package's tests, stops what [Shared] started, and ends the process.
func Main(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code)
}
