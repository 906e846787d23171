package report

import (
	"avro2trevni/bench/internal/draw"
)

// charts are the three of the page: conversions by format, DuckDB by who wrote the file, and
// columns read.
func (p *page) charts() []draw.Chart {
	var all []draw.Chart
	if c := p.conversionChart(); len(c.Bars) > 0 {
		all = append(all, c)
	}
	if c := p.queryChart(); len(c.Bars) > 0 {
		all = append(all, c)
	}
	if r := p.by["scan"]; r != nil {
		for _, c := range r.Charts() {
			if c.Name == "scan-time" {
				all = append(all, c)
			}
		}
	}
	return all
}

// conversionChart compares whole conversions of lineitem, those to Trevni first.
func (p *page) conversionChart() draw.Chart {
	c := draw.Chart{Name: "convert", Title: "Converting TPC-H lineitem, 6 million rows of snappy Avro", X: "seconds, whole process, output synced"}
	for group, format := range []struct{ name, verb, of string }{{"Trevni", "convert", "lineitem-snappy"}, {"Parquet", "parquet", "parquet-lineitem"}} {
		r := p.by[format.verb]
		if r == nil || r.named(format.of) == nil {
			continue
		}
		c.Note = r.note()
		for _, o := range r.named(format.of).Contenders {
			if bar, ok := o.bar(format.name + ": "); ok {
				bar.Group = group
				c.Bars = append(c.Bars, bar)
			}
		}
	}
	return c
}

// writersShown are those whose files the chart of queries compares.
var writersShown = []string{oursName, "duckdb", "arrow-rs", "polars"}

// queryChart compares DuckDB's times on the files of several writers.
func (p *page) queryChart() draw.Chart {
	c := draw.Chart{Name: "queries", Title: "DuckDB on lineitem in Parquet, by who wrote the file", X: "seconds"}
	r := p.by["queries"]
	if r == nil {
		return c
	}
	c.Note = r.note()
	for group, question := range []string{"q1", "q6", "full"} {
		for _, writer := range writersShown {
			o := r.named("duckdb-" + question).outcome(writer)
			if o == nil {
				continue
			}
			if bar, ok := o.bar(question + ": "); ok {
				bar.Group = group
				c.Bars = append(c.Bars, bar)
			}
		}
	}
	return c
}

// bar is a contender's time with its spread.
func (o *Outcome) bar(before string) (draw.Bar, bool) {
	if len(o.Samples) == 0 {
		return draw.Bar{}, false
	}
	b := draw.Bar{Name: before + o.Name, Value: o.Median.Wall, Ours: o.Name == oursName, Limit: o.Name == "limit"}
	switch {
	case b.Ours:
		b.Name = before + "convert"
	case b.Limit:
		b.Name = before + "codec only"
	}
	b.Least, b.Most = spread(o.Samples)
	return b, true
}
