package report

import (
	"testing"

	"avro2trevni/bench/internal/draw"

	"github.com/google/go-cmp/cmp"
)

// scanned is a case of scans of k columns, with what contenders took in seconds and
// read in bytes; those that took nothing are missing.
func scanned(name string, k int, took map[string]Sample) CaseResult {
	c := CaseResult{Name: name, Input: "t.avro", Scan: &ScanSetting{Of: 16, Columns: make([]string, k)}}
	for _, p := range Everyone {
		o := Outcome{Name: p, Missing: "not there"}
		if s, found := took[p]; found {
			o = Outcome{Name: p, Median: s, Samples: []Sample{s}}
		}
		c.Contenders = append(c.Contenders, o)
	}
	return c
}

func TestChartsOfColumns(t *testing.T) {
	r := &Results{Cases: []CaseResult{
		scanned("double", 1, map[string]Sample{"ours": {Wall: 0.02, Read: 10e6}, "goavro": {Wall: 8, Read: 300e6}}),
		scanned("string", 1, map[string]Sample{"ours": {Wall: 9, Read: 90e6}}),
		scanned("columns-16", 16, map[string]Sample{"ours": {Wall: 1, Read: 250e6}}),
		scanned("columns-4", 4, map[string]Sample{"ours": {Wall: 0.1, Read: 80e6}}),
	}}
	want := []draw.Chart{
		{Name: "scan-time", Title: "Time to sum up columns of t.avro", X: "columns read, of 16", Y: "milliseconds, one core", LogX: true, LogY: true,
			Series: []draw.Series{
				{Name: "ours", Points: [][2]float64{{1, 20}, {4, 100}, {16, 1000}}},
				{Name: "goavro", Group: 1, Points: [][2]float64{{1, 8000}}},
			}},
		{Name: "scan-bytes", Title: "Bytes read to sum up columns of t.avro", X: "columns read, of 16", Y: "MB", LogX: true, LogY: true,
			Series: []draw.Series{{Name: "ours", Points: [][2]float64{{1, 10}, {4, 80}, {16, 250}}}}},
	}
	for i := range want {
		want[i].Note = r.note()
	}
	if diff := cmp.Diff(want, r.Charts()); diff != "" {
		t.Errorf("charts (-want +got):\n%s", diff)
	}
}

func TestChartsOfScale(t *testing.T) {
	at := func(x, ns, peak float64) Point {
		return Point{X: x, Values: map[string]ValueSpread{"ns a row": {Median: ns}, "CPU ns a row": {Median: 2 * ns}, "peak MiB": {Median: peak}}}
	}
	r := &Results{Sweeps: []Sweep{
		{Name: "scale-" + ScaleBound, Points: []Point{at(0.1, 210, 60), at(10, 200, 61)}},
		{Name: "scale-16GiB", Points: []Point{at(1, 190, 900)}},
		{Name: "blocks", Points: []Point{at(1, 1, 1)}},
	}}
	want := []draw.Chart{
		{Name: "scale-time", Title: "Time of a row, converting", X: "times lineitem's rows", Y: "nanoseconds a row", LogX: true, Series: []draw.Series{
			{Name: "--memory " + ScaleBound, Points: [][2]float64{{0.1, 210}, {10, 200}}},
			{Name: "CPU, " + ScaleBound, Like: "--memory " + ScaleBound, Group: 1, Points: [][2]float64{{0.1, 420}, {10, 400}}},
			{Name: "--memory 16GiB", Points: [][2]float64{{1, 190}}},
			{Name: "CPU, 16GiB", Like: "--memory 16GiB", Group: 1, Points: [][2]float64{{1, 380}}},
		}},
	}
	for i := range want {
		want[i].Note = r.note()
	}
	if diff := cmp.Diff(want, r.Charts()); diff != "" {
		t.Errorf("charts (-want +got):\n%s", diff)
	}
	if got := (&Results{}).Charts(); len(got) > 0 {
		t.Errorf("charts of nothing: %v", got)
	}
}

func TestChartOfBlocks(t *testing.T) {
	at := func(x float64, values map[string]float64) Point {
		p := Point{X: x, Values: map[string]ValueSpread{}}
		for name, v := range values {
			p.Values[name] = ValueSpread{Median: v}
		}
		return p
	}
	r := &Results{
		Sweeps: []Sweep{
			{Name: "block-size", Points: []Point{at(4<<10, map[string]float64{"file MB": 30}), at(64<<10, map[string]float64{"file MB": 20, "one row µs": 7})}},
		},
	}
	got := map[string][]draw.Series{}
	for _, c := range r.Charts() {
		for _, s := range c.Series {
			if len(s.Points) > 0 {
				got[c.Name] = append(got[c.Name], s)
			}
		}
	}
	want := map[string][]draw.Series{
		"block-size": {{Name: "file", Points: [][2]float64{{4, 1.5}, {64, 1}}}, {Name: "one row read", Points: [][2]float64{{64, 1}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}
