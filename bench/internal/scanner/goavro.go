package scanner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/linkedin/goavro/v2"
)

// newGoavroScan scans Avro files with goavro, which decodes every row whole; blocks
// without a row that is asked for are passed over.
func newGoavroScan(t *Task) (scanFunc, error) {
	var diggers []*digger
	return func(ctx context.Context, path string) (Answer, error) {
		sums := make([]tally, len(t.Columns))
		err := goavroRows(path, t.Rows, func(codec *goavro.Codec, row any) (err error) {
			if diggers == nil {
				if diggers, err = newDiggers(codec.Schema(), t.Columns); err != nil {
					return err
				}
			}
			for i, d := range diggers {
				if err := d.dig(row, d.path, &sums[i]); err != nil {
					return fmt.Errorf("%s: %w", t.Columns[i], err)
				}
			}
			return ctx.Err()
		})
		return formatted(sums), err
	}, nil
}

// goavroRows hands each of some rows to a function.
func goavroRows(path string, rows RowRange, do func(*goavro.Codec, any) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := goavro.NewOCFReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return err
	}
	codec, next := r.Codec(), rows.From
	for row := int64(0); (rows.All() || next < rows.To) && r.Scan(); row++ {
		if last := row + r.RemainingBlockItems(); !rows.All() && next >= last {
			r.SkipThisBlockAndReset()
			row = last - 1
			continue
		}
		value, err := r.Read()
		if err != nil {
			return err
		}
		if !rows.All() && row != next {
			continue
		}
		next += rows.Step
		if err := do(codec, value); err != nil {
			return err
		}
	}
	return r.Err()
}

// digger finds the values of a column in goavro's rows.
type digger struct {
	path  []string
	units func(time.Time) int64 // what dates and times were before goavro made them that
}

func newDiggers(schema string, columns []string) ([]*digger, error) {
	all, err := Columns(schema)
	if err != nil {
		return nil, err
	}
	diggers := make([]*digger, len(columns))
	for i, path := range columns {
		at := slices.IndexFunc(all, func(c Column) bool { return c.Path == path })
		if at < 0 {
			return nil, fmt.Errorf("no column %q", path)
		}
		diggers[i] = &digger{path: strings.Split(path, "."), units: units[all[at].Logical]}
	}
	return diggers, nil
}

// units by logical type.
var units = map[string]func(time.Time) int64{
	"date":             func(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) },
	"timestamp-millis": time.Time.UnixMilli,
	"timestamp-micros": time.Time.UnixMicro,
}

// dig adds the values at a path of a row.
func (d *digger) dig(v any, path []string, t *tally) error {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		for _, item := range v {
			if err := d.dig(item, path, t); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		return d.inside(v, path, t)
	default:
		return d.add(v, t)
	}
}

// inside goes into a record, or into a union's value, which goavro makes a map of one.
func (d *digger) inside(m map[string]any, path []string, t *tally) error {
	if len(path) > 0 {
		if v, found := m[path[0]]; found {
			return d.dig(v, path[1:], t)
		}
	}
	if len(m) == 1 {
		for _, v := range m {
			return d.dig(v, path, t)
		}
	}
	return fmt.Errorf("no field for %q", path)
}

func (d *digger) add(v any, t *tally) error {
	switch v := v.(type) {
	case int32:
		t.whole += int64(v)
	case int64:
		t.whole += v
	case float32:
		t.broken += float64(v)
	case float64:
		t.broken += v
	case string:
		t.whole += int64(len(v))
	case []byte:
		t.whole += int64(len(v))
	case bool:
		if v {
			t.whole++
		}
	case time.Time:
		if d.units == nil {
			return fmt.Errorf("no number stands for %v", v)
		}
		t.whole += d.units(v)
	default:
		return fmt.Errorf("values of %T are not summed up", v)
	}
	t.count++
	return nil
}

// NewGoavroRecords reads all rows with goavro, each as a map of Go values.
func NewGoavroRecords(*Task) (scanFunc, error) {
	var d recordDigest
	return func(ctx context.Context, path string) (Answer, error) {
		h := d.begin()
		var rows int64
		var encoded []byte
		err := goavroRows(path, RowRange{}, func(codec *goavro.Codec, row any) (err error) {
			rows++
			if h == nil {
				return nil
			}
			if encoded, err = codec.BinaryFromNative(encoded[:0], row); err == nil {
				h.Write(encoded)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return nil, err
		}
		return d.answer(rows, h), nil
	}, nil
}
