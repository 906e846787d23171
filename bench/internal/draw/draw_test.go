package draw

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// TestSave draws lines and bars, and looks at what is in the files.
func TestSave(t *testing.T) {
	for _, c := range []Chart{
		{Name: "lines", Title: "Many lines", X: "columns", Y: "ms", LogX: true, LogY: true, Series: []Series{
			{Name: "first", Points: [][2]float64{{1, 0.5}, {4, 7}, {16, 900}}}, {Name: "dashed", Like: "first", Group: 1, Points: [][2]float64{{1, 100}, {16, 110}}},
		}},
		{Name: "flat", Title: "One value", X: "x", Y: "y", Series: []Series{{Name: "only", Points: [][2]float64{{1, 5}}}}},
		{Name: "bars", Title: "Some bars", X: "seconds", Bars: []Bar{{Name: "ours", Value: 1.25, Ours: true}, {Name: "other", Value: 1234567}, {Name: "limit", Value: 1, Limit: true}}},
	} {
		name := filepath.Join(t.TempDir(), c.Name)
		if err := c.save(name); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		image, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if size := image.Bounds().Size(); size.X < 900 || size.Y < 500 {
			t.Errorf("%s: a picture of %v", c.Name, size)
		}
		svg, err := c.svg(name + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(c.texts(), c.Title, c.X) {
			if !bytes.Contains(svg, []byte(text)) {
				t.Errorf("%s: no %q in the picture", c.Name, text)
			}
		}
	}
}

// svg draws the chart as text, in which words can be found.
func (c *Chart) svg(name string) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	if err := c.to(draw.New(canvas), name, canvas.WriteTo); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func (c *Chart) texts() (all []string) {
	for _, s := range c.Series {
		all = append(all, s.Name)
	}
	for _, b := range c.Bars {
		all = append(all, b.Name)
	}
	return all
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0.0123: "0.0123", 1.5: "1.5", 12.345: "12.3", 123.4: "123", 10000: "10000", 1234567: "1.23 M"} {
		if got := short(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestColorOfOneLikeAnother(t *testing.T) {
	c := Chart{Series: []Series{{Name: "a"}, {Name: "b"}, {Name: "c", Like: "b"}}}
	if c.color(2) != c.color(1) || c.color(1) == c.color(0) {
		t.Errorf("colours %v, %v, %v", c.color(0), c.color(1), c.color(2))
	}
}

func TestRound(t *testing.T) {
	for v, want := range map[float64][2]float64{1: {1, 1}, 1.1: {1, 2}, 2: {2, 2}, 45: {20, 50}, 0.3: {0.2, 0.5}, 0.6: {0.5, 1}, 10065: {10000, 20000}, 10000: {10000, 10000}} {
		if down, up := roundDown(v), roundUp(v); math.Abs(down-want[0]) > 1e-9*v || math.Abs(up-want[1]) > 1e-9*v {
			t.Errorf("%v is between %v and %v, want %v", v, down, up, want)
		}
	}
}
