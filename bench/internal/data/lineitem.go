package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"
)

// lineitemFields are the 16 columns of TPC-H's largest table, in dbgen's order.
// The decimals are doubles here, as they are in most warehouses' Avro.
var lineitemFields = []struct{ name, kind string }{
	{"l_orderkey", "long"}, {"l_partkey", "long"}, {"l_suppkey", "long"}, {"l_linenumber", "int"},
	{"l_quantity", "double"}, {"l_extendedprice", "double"}, {"l_discount", "double"}, {"l_tax", "double"},
	{"l_returnflag", "string"}, {"l_linestatus", "string"},
	{"l_shipdate", "date"}, {"l_commitdate", "date"}, {"l_receiptdate", "date"},
	{"l_shipinstruct", "string"}, {"l_shipmode", "string"}, {"l_comment", "string"},
}

// QuickInput is lineitem at scale 0.1, which quick runs take: it is made in seconds.
const QuickInput = "lineitem01-snappy.avro"

// lineitem is the table at a scale, of 6,001,215 rows at scale 1, read from the
// pipe-separated text that the tpchgen-cli at path generator prints.
func lineitem(ctx context.Context, generator, name, scale string) Table {
	return Table{
		Name:   name,
		Schema: LineitemSchema(),
		rows:   func(emit func(any) error) error { return lineitemRows(ctx, generator, scale, emit) },
	}
}

func LineitemSchema() string {
	var b bytes.Buffer
	b.WriteString(`{"type":"record","name":"lineitem","fields":[`)
	for i, f := range lineitemFields {
		if i > 0 {
			b.WriteByte(',')
		}
		kind := strconv.Quote(f.kind)
		if f.kind == "date" {
			kind = `{"type":"int","logicalType":"date"}`
		}
		fmt.Fprintf(&b, `{"name":%q,"type":%s}`, f.name, kind)
	}
	b.WriteString(`]}`)
	return b.String()
}

func lineitemRows(ctx context.Context, generator, scale string, emit func(any) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, generator, "tbl", "-s", scale, "-T", "lineitem", "--stdout", "-n", "1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("bench: start the TPC-H generator: %w", err)
	}
	if err := parseLineitem(out, emit); err != nil {
		stop()
		return errors.Join(err, ignoreKilled(cmd.Wait()))
	}
	return cmd.Wait()
}

// ignoreKilled drops the error of a child that we ourselves ended.
func ignoreKilled(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil
	}
	return err
}

func parseLineitem(r io.Reader, emit func(any) error) error {
	lines := bufio.NewScanner(r)
	dates := map[string]time.Time{}
	for n := 1; lines.Scan(); n++ {
		row, err := lineitemRow(lines.Bytes(), dates)
		if err != nil {
			return fmt.Errorf("bench: lineitem line %d: %w", n, err)
		}
		if err := emit(row); err != nil {
			return err
		}
	}
	return lines.Err()
}

func lineitemRow(line []byte, dates map[string]time.Time) (map[string]any, error) {
	parts := bytes.Split(bytes.TrimSuffix(line, []byte("|")), []byte("|"))
	if len(parts) != len(lineitemFields) {
		return nil, fmt.Errorf("%d fields, want %d", len(parts), len(lineitemFields))
	}
	row := make(map[string]any, len(parts))
	for i, f := range lineitemFields {
		v, err := lineitemValue(f.kind, parts[i], dates)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		row[f.name] = v
	}
	return row, nil
}

func lineitemValue(kind string, text []byte, dates map[string]time.Time) (any, error) {
	switch kind {
	case "long":
		return strconv.ParseInt(string(text), 10, 64)
	case "int":
		v, err := strconv.ParseInt(string(text), 10, 32)
		return int32(v), err
	case "double":
		return strconv.ParseFloat(string(text), 64)
	case "date":
		if t, ok := dates[string(text)]; ok {
			return t, nil
		}
		t, err := time.Parse(time.DateOnly, string(text))
		dates[string(text)] = t
		return t, err
	default:
		return string(text), nil
	}
}
