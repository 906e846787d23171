package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestSave draws lines and bars, and looks at what is in the files.
func TestSave(t *testing.T) {
	for _, c := range []chart{
		{Name: "lines", Title: "Many lines", X: "columns", Y: "ms", LogX: true, LogY: true, Series: []series{
			{Name: "first", Points: [][2]float64{{1, 0.5}, {4, 7}, {16, 900}}}, {Name: "dashed", Group: 1, Points: [][2]float64{{1, 100}, {16, 110}}},
		}},
		{Name: "flat", Title: "One value", X: "x", Y: "y", Series: []series{{Name: "only", Points: [][2]float64{{1, 5}}}}},
		{Name: "bars", Title: "Some bars", X: "seconds", Bars: []bar{{"ours", 1.25, true}, {"other", 1234567, false}}},
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
		svg, err := os.ReadFile(name + ".svg")
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

func (c *chart) texts() (all []string) {
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
