package sweep

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/jobs"
)

func convertSmall(t *testing.T, avro, trv string, flags ...string) {
	t.Helper()
	o := &jobs.Options{Inputs: []string{avro}, Output: trv, TempDirs: []string{t.TempDir()}}
	for _, f := range flags {
		switch f {
		case "no checksum":
			o.Checksum = "null"
		case "no codec":
			o.Codec = "null"
		}
	}
	if _, err := jobs.Convert(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

// The arithmetic of the specification's goal 1 has these figures.
func TestDriveCostIsTheSpecifications(t *testing.T) {
	for group, want := range map[float64]float64{10e6: 20, 100e6: 11} {
		if got := driveCost(1, group/10); math.Abs(got-want) > 1e-9 {
			t.Errorf("row groups of %v bytes: %v ms a MB, want %v", group, got, want)
		}
	}
	if got := driveCost(3, 0); got != 0 {
		t.Errorf("nothing read: %v", got)
	}
}

func TestAnatomyWithoutChecksumsAndCodec(t *testing.T) {
	_, with := smallTable(t, 5000, "no codec")
	_, without := smallTable(t, 5000, "no codec", "no checksum")
	a, err := anatomyOf([]string{with})
	if err != nil {
		t.Fatal(err)
	}
	b, err := anatomyOf([]string{without, without})
	if err != nil {
		t.Fatal(err)
	}
	if a.Checksums == 0 || b.Checksums != 0 || a.Data != a.Raw || b.Files != 2 || b.Raw != 2*a.Raw {
		t.Errorf("with checksums %+v, twice without %+v", a, b)
	}
}

func TestRawRows(t *testing.T) {
	avro, _ := smallTable(t, 5000)
	got, err := rawRows(avro)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(avro); got <= info.Size() {
		t.Errorf("%d bytes of rows in a compressed file of %d", got, info.Size())
	}
	dir := t.TempDir()
	if err := data.WriteAvro(dir, data.Flat("small", 10, []data.Column{{Kind: data.Kinds[0], Name: "id", Percent: 100, NullFirst: false}}), "deflate"); err != nil {
		t.Fatal(err)
	}
	deflate := filepath.Join(dir, "small-deflate.avro")
	if _, err := rawRows(deflate); err == nil || !strings.Contains(err.Error(), `codec "deflate"`) {
		t.Errorf("a file of deflate: error %v", err)
	}
	for path, want := range map[string]string{avro: "snappy", deflate: "deflate", "absent.avro": "snappy"} {
		if got := codecOf(path); got != want {
			t.Errorf("codec of %s is %s, want %s", tableName(path), got, want)
		}
	}
}
