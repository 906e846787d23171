package main

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// someInputs are of a run of 1 GB on two CPUs: 10 s of processor time, as much output as
// half the input, a quarter of it spilled.
func someInputs() *modelInputs {
	return &modelInputs{
		Rows: 10e6, InputBytes: 1e9, OutputBytes: 5e8, FileSize: 1e8, SpilledBytes: 25e7,
		CPU: 10, Wall: 6, Memory: 100 << 20, CPUs: 2, Disk: diskRates{Write: 1e8, Read: 2e8},
	}
}

// TestModel is worked out by hand for 1 TB, a thousand times the run.
func TestModel(t *testing.T) {
	m := someInputs()
	for _, test := range []struct {
		cluster
		cpu, disk, network, sent, written float64
		longest                           string
	}{
		// disk: (1000+250)/0.2 + (250+500)/0.1
		{cluster{1, 1e9, 1}, 5000, 13750, 0, 0, 750e9, "disk"},
		// disk: (6250 + (250+1500)/0.1)/10; sent: 500×0.9 + 500×2
		{cluster{10, 1e9, 3}, 500, 2375, 145, 1450e9, 1750e9, "disk"},
		// a copy elsewhere needs another machine
		{cluster{2, 1e6, 3}, 2500, 11875, 375e3, 750e9, 1750e9, "network"},
	} {
		c := m.cost(1e12, test.cluster)
		for name, pair := range map[string][2]float64{
			"processor": {c.CPU, test.cpu}, "disk": {c.Disk, test.disk}, "network": {c.Network, test.network},
			"sent": {c.Sent, test.sent}, "written": {c.Written, test.written}, "files": {c.Files, 5000},
			"read": {c.Read, 1250e9}, "hours": {c.Hours, max(test.cpu, test.disk, test.network) / 3600},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-6*pair[1] {
				t.Errorf("%+v: %s is %v, want %v", test.cluster, name, pair[0], pair[1])
			}
		}
		if got := c.longest(); got != test.longest {
			t.Errorf("%+v: %s takes longest, want %s", test.cluster, got, test.longest)
		}
	}
}

func TestModelPrints(t *testing.T) {
	var b strings.Builder
	someInputs().print(&b, 1e12, []int{1, 10}, 1e9)
	for _, want := range []string{
		"A model, not a measurement: what 1 TB of Avro cost",
		"10000000 rows of 100.0 bytes in, 50.0 out, 25.0 to temporary files and back; 1000 ns of processor time a row, 2 CPUs; 100 MiB",
		"the model says 5 s of processor and 13.8 s of disk side by side; it took 6 s",
		"| 1 | 5000 | 13750 | 0 | 3.82 | disk | 1.25 | 0.75 | 0.00 | 5000 |",
		"| 10 | 500 | 2375 | 145 | 0.660 | disk | 1.25 | 1.75 | 1.45 | 5000 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestParseCounts(t *testing.T) {
	if got, err := parseCounts("1, 4,16"); err != nil || !slices.Equal(got, []int{1, 4, 16}) {
		t.Errorf("counts %v, %v", got, err)
	}
	for _, bad := range []string{"", "0", "1,x"} {
		if _, err := parseCounts(bad); err == nil {
			t.Errorf("counts %q: no error", bad)
		}
	}
}

func TestProbeDisk(t *testing.T) {
	dir := t.TempDir()
	r, err := probeDisk(dir, 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	if r.Read <= 0 || r.Write <= 0 {
		t.Errorf("rates %+v", r)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files left", len(left))
	}
}
