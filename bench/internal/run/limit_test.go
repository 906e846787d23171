package run

import (
	"context"
	"os"
	"testing"

	"avro2trevni/bench/internal/data"
)

// TestLimitSeesEveryBlock cuts a file everywhere in its last block.
func TestLimitSeesEveryBlock(t *testing.T) {
	dir := t.TempDir()
	if err := data.WriteAvro(dir, data.Few(data.Sparse(), 300), "snappy"); err != nil {
		t.Fatal(err)
	}
	path := dir + "/sparse-snappy.avro"
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := limitFile(context.Background(), path, 2); err != nil {
		t.Errorf("the whole file: %v", err)
	}
	for n := len(whole) - 1; n > len(whole)-40; n-- {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := limitFile(context.Background(), path, 1); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", n, len(whole))
		}
	}
}
