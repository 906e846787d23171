// Package draw draws charts as PNG pictures. What they show is chosen by package report;
// how it looks is decided here.
package draw

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Chart is a plot, of lines or of bars.
type Chart struct {
	Name       string // of the file, without ending
	Title      string
	Note       string // below the picture, small: machine, date, revision
	X, Y       string // what the axes show, with units
	LogX, LogY bool
	Series     []Series
	Bars       []Bar
}

// Series is a line.
type Series struct {
	Name   string
	Like   string // has the colour of the series of this name
	Group  int    // those of group 1 are dashed
	Points [][2]float64
}

// Bar is one of several.
type Bar struct {
	Name        string
	Value       float64
	Least, Most float64 // its spread, drawn as a line; both 0 for none
	Group       int     // bars of a group have a colour
	Ours        bool    // stands out
	Limit       bool    // no contender but a yardstick
}

// Sizes of a chart.
const (
	width       = 20 * vg.Centimeter
	height      = 11 * vg.Centimeter
	legendWidth = 4.4 * vg.Centimeter
	margin      = 0.3 * vg.Centimeter
	noteSize    = vg.Length(7)
	dpi         = 120
)

// colors can be told apart by most who see colours otherwise.
var colors = []color.Color{
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0x33, 0x33, 0x33, 0xff}, color.RGBA{0x99, 0x44, 0x22, 0xff}, color.RGBA{0x88, 0x88, 0x88, 0xff},
}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{}, draw.CircleGlyph{},
}

// All draws charts into a folder, each as NAME.png.
func All(charts []Chart, folder string) error {
	plot.DefaultFont.Variant = "Sans"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range charts {
		if err := charts[i].save(filepath.Join(folder, charts[i].Name)); err != nil {
			return fmt.Errorf("draw: %s: %w", charts[i].Name, err)
		}
	}
	return nil
}

// save draws a chart into NAME.png.
func (c *Chart) save(name string) error {
	png := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	return c.to(draw.New(png), name+".png", vgimg.PngCanvas{Canvas: png}.WriteTo)
}

// to draws on a canvas and writes it to a file.
func (c *Chart) to(on draw.Canvas, name string, write func(w io.Writer) (int64, error)) (err error) {
	on.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	if err := c.on(draw.Crop(on, margin, -margin, margin, -margin)); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = write(f)
	return errors.Join(err, f.Close())
}

func (c *Chart) on(canvas draw.Canvas) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Title.Padding = 3 * vg.Millimeter
	if c.Note != "" {
		small := p.X.Label.TextStyle
		small.Font.Size, small.Color, small.XAlign = noteSize, color.Gray{0x60}, draw.XRight
		canvas.FillText(small, vg.Point{X: canvas.Max.X, Y: canvas.Min.Y}, c.Note)
		canvas = draw.Crop(canvas, 0, 0, 1.6*noteSize, 0)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	if len(c.Bars) > 0 {
		return c.bars(p, canvas)
	}
	return c.lines(p, canvas)
}

// lines draws series, and their legend beside them.
func (c *Chart) lines(p *plot.Plot, canvas draw.Canvas) error {
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.Padding = 1.5 * vg.Millimeter
	var xs []float64
	for i, s := range c.Series {
		points := make(plotter.XYs, len(s.Points))
		for k, v := range s.Points {
			points[k] = plotter.XY{X: v[0], Y: v[1]}
			xs = append(xs, v[0])
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		line.Color, marks.Color = c.color(i), c.color(i)
		line.Width = 1.6
		if s.Name == "ours" { // seen below a line that lies on it
			line.Width = 3
		}
		if s.Group > 0 {
			line.Dashes = []vg.Length{5, 3}
		}
		marks.Shape, marks.Radius = shapes[i%len(shapes)], 3
		p.Add(line, marks)
		legend.Add(s.Name, line, marks)
	}
	c.axes(p, xs)
	p.Draw(draw.Crop(canvas, 0, -legendWidth, 0, 0))
	legend.Draw(draw.Crop(canvas, canvas.Size().X-legendWidth+3*vg.Millimeter, 0, 0, -1.2*vg.Centimeter))
	return nil
}

// color is that of series i.
func (c *Chart) color(i int) color.Color {
	for k, s := range c.Series {
		if s.Name == c.Series[i].Like {
			i = k
			break
		}
	}
	return colors[i%len(colors)]
}

// axes sets scales and ticks. The x axis has a tick at each value that there is.
func (c *Chart) axes(p *plot.Plot, xs []float64) {
	slices.Sort(xs)
	var ticks plot.ConstantTicks
	for _, x := range slices.Compact(xs) {
		ticks = append(ticks, plot.Tick{Value: x, Label: short(x)})
	}
	p.X.Tick.Marker = ticks
	if c.LogX {
		p.X.Scale = plot.LogScale{}
	}
	if !c.LogY {
		p.Y.Min, p.Y.Max = 0, p.Y.Max*1.1
		return
	}
	p.Y.Scale = plot.LogScale{}
	p.Y.Min, p.Y.Max = roundDown(p.Y.Min), roundUp(p.Y.Max)
	p.Y.Tick.Marker = decades{}
}

// roundDown is the largest of 1, 2 and 5 times powers of ten that is not above v.
func roundDown(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, f := range []float64{5, 2} {
		if f*decade <= v*(1+1e-9) {
			return f * decade
		}
	}
	return decade
}

// roundUp is the smallest of them that is not below v.
func roundUp(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)-1e-9))
	for _, f := range []float64{2, 5} {
		if v <= f*decade*(1+1e-9) {
			return f * decade
		}
	}
	return 10 * decade
}

// decades are ticks with labels at powers of ten and at 2 and 5 times them, and without
// at what is between.
type decades struct{}

func (decades) Ticks(least, most float64) []plot.Tick {
	var all []plot.Tick
	for d := math.Floor(math.Log10(least)); d <= math.Log10(most)+1e-9; d++ {
		at := math.Pow(10, d)
		for i := 1.0; i < 10; i++ {
			tick := plot.Tick{Value: i * at}
			if i == 1 || i == 2 || i == 5 {
				tick.Label = short(tick.Value)
			}
			if within := tick.Value >= least*(1-1e-9) && tick.Value <= most*(1+1e-9); within {
				all = append(all, tick)
			}
		}
	}
	return all
}

// bars draws bars from left to right, the first at the top, with their values.
func (c *Chart) bars(p *plot.Plot, canvas draw.Canvas) error {
	var most float64
	n := len(c.Bars)
	names := make([]string, n)
	labels := plotter.XYLabels{}
	for i, b := range c.Bars {
		at := n - 1 - i
		names[at] = b.Name
		most = max(most, b.Value)
		chart, err := plotter.NewBarChart(plotter.Values{b.Value}, 0.6*(height-3*vg.Centimeter)/vg.Length(n))
		if err != nil {
			return err
		}
		chart.Horizontal, chart.XMin, chart.LineStyle.Width = true, float64(at), 0
		chart.Color = colors[1+b.Group]
		switch {
		case b.Ours:
			chart.Color = colors[0]
		case b.Limit:
			chart.Color = colors[len(colors)-1]
		}
		p.Add(chart)
		if b.Most > 0 {
			if err := spread(p, b, float64(at)); err != nil {
				return err
			}
			most = max(most, b.Most)
		}
		labels.XYs = append(labels.XYs, plotter.XY{X: max(b.Value, b.Most), Y: float64(at)})
		labels.Labels = append(labels.Labels, " "+short(b.Value))
	}
	written, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range written.TextStyle {
		written.TextStyle[i].YAlign = draw.YCenter
	}
	p.Add(written)
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, most*1.12
	p.Draw(canvas)
	return nil
}

// spread draws a line from the least to the most of a bar.
func spread(p *plot.Plot, b Bar, at float64) error {
	line, err := plotter.NewLine(plotter.XYs{{X: b.Least, Y: at}, {X: b.Most, Y: at}})
	if err != nil {
		return err
	}
	line.Width = 1.2
	p.Add(line)
	return nil
}

// short writes a number with three digits.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " M"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	default:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
}
