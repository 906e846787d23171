package query

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
)

// question is asked by an engine of each file.
type question struct {
	engine, name, what string
	quick              bool
}

// id is the name of the question's case.
func (q question) id() string { return q.engine + "-" + q.name }

// questions are all, in the order of tables.
var questions = []question{
	{"duckdb", "q1", "TPC-H query 1: seven columns of nearly all rows, grouped", true},
	{"duckdb", "q6", "TPC-H query 6: one sum, a filter on three columns", false},
	{"duckdb", "point", "the rows of one order, all columns", true},
	{"duckdb", "full", "all columns of all rows", false},
	{"pyarrow", "four", "four columns into memory, and their sums", false},
	{"pyarrow", "full", "all columns into memory", false},
	{"polars", "q6", "TPC-H query 6", false},
	{"polars", "full", "all columns into memory", false},
}

// Verb asks the questions.
func Verb(ctx context.Context, args []string) error {
	m, err := run.NewMeasuring("queries", args, false)
	if err != nil {
		return err
	}
	input, order := data.LineitemInput, []string{}
	if m.Quick {
		input = data.QuickInput
	}
	for _, q := range questions {
		order = append(order, q.id())
	}
	if err := m.Known(order); err != nil {
		return err
	}
	var chosen []question
	var todo []string
	for _, q := range questions {
		if data.Wanted(m.Names, q.id()) && (q.quick || !m.Quick) {
			chosen, todo = append(chosen, q), append(todo, q.id())
		}
	}
	return m.Measure(ctx, order, todo, func(h *run.Harness, j *report.Journal) error {
		return askAll(ctx, m, h, j, chosen, input, m.Only())
	})
}

// askAll has the files of the contenders made, and asks questions of them.
func askAll(ctx context.Context, m *run.Measuring, h *run.Harness, j *report.Journal, chosen []question, input string, only []string) error {
	files, missing, err := h.MakeParquet(ctx, input, only)
	if err != nil {
		return err
	}
	var todo []string
	for _, q := range chosen {
		todo = append(todo, q.id())
	}
	return m.Cases(ctx, j, todo, func(i int) (report.CaseResult, error) {
		return ask(ctx, h, chosen[i], input, files, missing)
	})
}

// FiguresVerb measures what conversion to Parquet is to reach, and nothing else: against
// few contenders, in minutes. It reports whether the results are kept in the repository.
func FiguresVerb(ctx context.Context, args []string) (kept bool, err error) {
	m, err := run.NewMeasuring("figures", args, false)
	if err != nil {
		return false, err
	}
	conversions := run.FigureNames()
	asked := questions[:4] // DuckDB's
	order := slices.Clone(conversions)
	for _, q := range asked {
		order = append(order, q.id())
	}
	if err := m.Known(order); err != nil {
		return false, err
	}
	wanted := func(name string) bool { return data.Wanted(m.Names, name) }
	conversions = slices.DeleteFunc(conversions, func(name string) bool { return !wanted(name) })
	asked = slices.DeleteFunc(slices.Clone(asked), func(q question) bool { return !wanted(q.id()) })
	return m.Kept(), m.Measure(ctx, order, slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !wanted(name) }),
		func(h *run.Harness, j *report.Journal) error {
			err := m.Figures(ctx, h, j, conversions)
			if len(asked) == 0 || ctx.Err() != nil {
				return err
			}
			return errors.Join(err, askAll(ctx, m, h, j, asked, data.LineitemInput, []string{run.OursParquet, "duckdb"}))
		})
}

// reply is one line that query.py prints.
type reply struct {
	Name   string  `json:"name"`
	Wall   float64 `json:"wall"`
	CPU    float64 `json:"cpu"`
	Answer string  `json:"answer"`
}

// ask measures one question.
func ask(ctx context.Context, h *run.Harness, q question, input string, files []run.ParquetFile, missing []report.Outcome) (report.CaseResult, error) {
	size, err := run.TreeSize(h.Data(input))
	r := report.CaseResult{Name: q.id(), What: q.what, Input: input, InputBytes: size}
	if err != nil {
		return r, err
	}
	args := []string{filepath.Join("bench", "peers", "query.py"), q.engine, q.name, strconv.Itoa(h.Pairs)}
	for _, f := range files {
		args = append(args, f.Name+"="+f.Path)
		r.Contenders = append(r.Contenders, report.Outcome{Name: f.Name, Command: []string{"query.py", q.engine, q.name, f.Name}})
	}
	cmd := exec.CommandContext(ctx, h.Python(), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("bench: %s: %w", q.id(), err)
	}
	if err := take(&r, out); err != nil {
		return r, fmt.Errorf("bench: %s: %w", q.id(), err)
	}
	r.Contenders = append(r.Contenders, missing...)
	r.Figures = figures(q, r.Contenders)
	for i := range r.Figures {
		r.Figures[i].Fill(r.Contenders)
	}
	return r, nil
}

// take adds what an engine replied, and demands that all files gave one answer.
func take(r *report.CaseResult, out []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	first := ""
	for lines.Scan() {
		var one reply
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return err
		}
		if first == "" {
			first = one.Answer
		}
		if one.Answer != first {
			return fmt.Errorf("the file of %s gives %s, and others %s", one.Name, one.Answer, first)
		}
		i := slices.IndexFunc(r.Contenders, func(o report.Outcome) bool { return o.Name == one.Name })
		if i < 0 {
			return fmt.Errorf("an answer of %s, which was not asked", one.Name)
		}
		c := &r.Contenders[i]
		c.Samples = append(c.Samples, report.Sample{Wall: one.Wall, User: one.CPU})
	}
	for i := range r.Contenders {
		c := &r.Contenders[i]
		if len(c.Samples) == 0 {
			return errors.New("no answer of " + c.Name)
		}
		c.Median = report.MedianSample(c.Samples)
	}
	return lines.Err()
}

// figures are of our file against the engine's own, and the others'. DuckDB must not be
// slower with ours.
func figures(q question, contenders []report.Outcome) (all []report.Figure) {
	for _, c := range contenders {
		if c.Name == run.OursParquet || len(c.Samples) == 0 {
			continue
		}
		f := report.Figure{Name: "time, to that with the file of " + c.Name, Measure: "wall", Of: run.OursParquet, To: c.Name}
		if q.engine == "duckdb" && c.Name == "duckdb" {
			f.AtMost = 1
		}
		all = append(all, f)
	}
	return all
}
