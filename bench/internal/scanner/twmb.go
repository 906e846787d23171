package scanner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/twmb/avro"
	twmbocf "github.com/twmb/avro/ocf"

	"avro2trevni/internal/schema"
)

// newTwmbScan scans Avro files with twmb/avro, which is given the columns as a reader
// schema and passes over the rest. It decodes into a struct with just their fields, as
// a program that knows its question would have.
func newTwmbScan(t *Task) (scanFunc, error) {
	text, err := os.ReadFile(t.Schema)
	if err != nil {
		return nil, err
	}
	s := &twmbScan{Task: t}
	if s.wanted, err = avro.Parse(string(text)); err != nil {
		return nil, err
	}
	tree, err := schema.Parse(string(text))
	if err != nil {
		return nil, err
	}
	for _, c := range t.Columns {
		s.paths = append(s.paths, fieldPath(tree, strings.Split(c, ".")))
	}
	s.row, err = goType(tree)
	return s.scan, err
}

// twmbScan is what a scan knows beforehand.
type twmbScan struct {
	*Task
	wanted *avro.Schema
	row    reflect.Type
	paths  [][]int // fields of row, for each column
}

func (s *twmbScan) scan(ctx context.Context, path string) (Answer, error) {
	sums := make([]tally, len(s.Columns))
	value := reflect.New(s.row)
	n := int64(-1)
	err := twmbRows(path, s.wanted, value.Interface(), func() error {
		n++
		switch {
		case s.Rows.past(n):
			return io.EOF
		case !s.Rows.has(n):
			return nil
		}
		for i := range sums {
			if err := sums[i].reflected(value.Elem(), s.paths[i]); err != nil {
				return fmt.Errorf("%s: %w", s.Columns[i], err)
			}
		}
		return ctx.Err()
	})
	return formatted(sums), err
}

// has reports whether row n is in r, past whether r ends before it.
func (r RowRange) has(n int64) bool {
	return r.All() || n >= r.From && n < r.To && (n-r.From)%r.Step == 0
}

func (r RowRange) past(n int64) bool { return !r.All() && n >= r.To }

// twmbRows decodes row after row into a value and has each looked at, until one says
// io.EOF.
func twmbRows(path string, wanted *avro.Schema, into any, look func() error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := twmbocf.NewReader(bufio.NewReaderSize(f, 1<<20), twmbocf.WithReaderSchema(wanted),
		twmbocf.WithMaxBlockBytes(1<<30), twmbocf.WithMaxDecompressedBlockBytes(1<<30))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		err := r.Decode(into)
		if err == nil {
			err = look()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// goTypes are those of values, by kind.
var goTypes = map[schema.Kind]reflect.Type{
	schema.Boolean: reflect.TypeFor[bool](), schema.Int: reflect.TypeFor[int32](), schema.Long: reflect.TypeFor[int64](),
	schema.Float: reflect.TypeFor[float32](), schema.Double: reflect.TypeFor[float64](),
	schema.String: reflect.TypeFor[string](), schema.Bytes: reflect.TypeFor[[]byte](),
}

// goType makes the type that values of a schema are decoded into.
func goType(s *schema.Schema) (reflect.Type, error) {
	switch s.Kind {
	case schema.Record:
		fields := make([]reflect.StructField, len(s.Fields))
		for i, f := range s.Fields {
			inner, err := goType(f.Type)
			if err != nil {
				return nil, err
			}
			fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: inner, Tag: reflect.StructTag(fmt.Sprintf("avro:%q", f.Name))}
		}
		return reflect.StructOf(fields), nil
	case schema.Array:
		inner, err := goType(s.Items)
		if err != nil {
			return nil, err
		}
		return reflect.SliceOf(inner), nil
	case schema.Union:
		branch := other(s)
		if branch == nil {
			return reflect.TypeFor[any](), nil
		}
		inner, err := goType(branch)
		if err != nil {
			return nil, err
		}
		return reflect.PointerTo(inner), nil
	default:
		if t := goTypes[s.Kind]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("no type for %s", s)
	}
}

// fieldPath are the numbers of the fields on a path.
func fieldPath(s *schema.Schema, path []string) []int {
	switch {
	case s.Kind == schema.Array:
		return fieldPath(s.Items, path)
	case s.Kind == schema.Union && other(s) != nil:
		return fieldPath(other(s), path)
	case len(path) == 0:
		return nil
	}
	for i, f := range s.Fields {
		if f.Name == path[0] {
			return append([]int{i}, fieldPath(f.Type, path[1:])...)
		}
	}
	return nil
}

// reflected adds the values at a path.
func (t *tally) reflected(v reflect.Value, path []int) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return t.reflected(v.Elem(), path)
	case reflect.Struct:
		return t.reflected(v.Field(path[0]), path[1:])
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		for i := range v.Len() {
			if err := t.reflected(v.Index(i), path); err != nil {
				return err
			}
		}
		return nil
	}
	return t.value(v)
}

func (t *tally) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int32, reflect.Int64:
		t.whole += v.Int()
	case reflect.Float32, reflect.Float64:
		t.broken += v.Float()
	case reflect.String, reflect.Slice:
		t.whole += int64(v.Len())
	case reflect.Bool:
		if v.Bool() {
			t.whole++
		}
	default:
		return fmt.Errorf("values of %s are not summed up", v.Type())
	}
	t.count++
	return nil
}
