package storage_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
)

// A cluster that is away keeps only those waiting that ask for it; one that is there is
// connected to once.
func TestRouterConnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = 2 * time.Minute
		connected := 0
		r := &storage.Router{Local: storagetest.NewMem(), Connect: func(root string) (storage.FS, error) {
			if root == "hdfs://away" {
				time.Sleep(patience)
				return nil, storage.ErrUnavailable
			}
			connected++
			m := storagetest.NewMem()
			return m, m.MkdirAll(root + "/x")
		}}
		away := make(chan error)
		go func() {
			_, err := r.Stat("hdfs://away/x")
			away <- err
		}()
		synctest.Wait() // it is being connected to
		began := time.Now()
		for range 2 {
			if _, err := r.Stat("hdfs://there/x"); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited > 0 || connected != 1 {
			t.Errorf("waited %v for another cluster, connected %d times", waited, connected)
		}
		if err := <-away; !errors.Is(err, storage.ErrUnavailable) {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
