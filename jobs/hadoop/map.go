package hadoop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/streaming"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/stages"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// splitNote goes along with a split's index, for the driver: what it checks when all is
// done.
type splitNote struct {
	Rows  []int64         // of each segment
	Spans []ocf.Span      // where the blocks of each are
	Sums  []colsum.Column `json:",omitempty"` // of each column, for the reducer, if files are to be verified
}

// recordSink makes records of a split's tuples.
type recordSink struct {
	w       *streaming.Writer
	key     uint32 // of the partition
	shape   *reducer.Shape
	order   streaming.Order
	index   streaming.Index
	columns int
	buf     []byte
}

// Buffer implements [mapper.Sink].
func (s *recordSink) Buffer(n int) ([]byte, error) {
	if cap(s.buf) < n {
		s.buf = make([]byte, 0, n)
	}
	return s.buf[:0], nil
}

// Add implements [mapper.Sink].
func (s *recordSink) Add(t tuple.Tuple) error {
	early := s.shape.NeedsValue(&t)
	if s.shape.Columns[t.Column].Look != reducer.LookNote {
		t.Note = nil // it says where the run can be cut: files end where splits do
	}
	s.index.Add(&t, early)
	if early {
		return s.w.Write(streaming.EarlyKey(s.key, t.Column, t.Row), t.Value)
	}
	return s.w.Write(s.order.RunKey(s.key, t.Column, t.Row), t.Value)
}

// begin makes the sink ready for a split.
func (s *recordSink) begin(key uint32) {
	s.key = key
	s.index = streaming.Index{Columns: make([][]streaming.Run, s.columns)}
}

// mapAll maps the splits of the tasks that standard input names, one a line.
func (t *Task) mapAll(ctx context.Context) error {
	keys, err := streaming.Partitions(len(t.Plan.Partitions))
	if err != nil {
		return err
	}
	shape := t.w.Table.Files().Shape()
	w := streaming.NewWriter(t.Out)
	sink := &recordSink{w: w, shape: shape, order: streaming.Order(shape.BySplit), columns: len(shape.Columns)}
	reader := stages.NewMapping(t.w).Reader(ctx)
	defer reader.Close()
	m := mapper.New(t.w.Program, t.w.Table.Mapping(), t.w.Table.NewEncoder(), sink)
	m.SetRoom(reader.RowRoom())
	lines := bufio.NewScanner(t.In)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		n, err := strconv.Atoi(line)
		if err != nil || n < 0 || n >= len(t.Plan.Tasks) {
			return fmt.Errorf("jobs: %q is no task of the plan, which has %d", line, len(t.Plan.Tasks))
		}
		for split := t.Plan.Tasks[n].First; split < t.Plan.Tasks[n].End; split++ {
			sink.begin(keys[t.Plan.partition(split)])
			if err := t.mapSplit(ctx, reader, split, m, sink); err != nil {
				return err
			}
		}
	}
	return errors.Join(lines.Err(), w.Flush())
}

// mapSplit maps one split, whose index comes last and is sorted first.
func (t *Task) mapSplit(ctx context.Context, reader *stages.Reader, split int, m *mapper.Mapper, sink *recordSink) error {
	r, err := reader.MapSplit(ctx, split, m)
	if err != nil {
		return err
	}
	result, note := r.Mapped, splitNote{Rows: r.Rows, Sums: r.Mapped.Sums}
	bytes := int64(0)
	for _, seg := range t.w.Plan.Splits[split] {
		note.Spans = append(note.Spans, reader.Tally.Span(seg))
		bytes += seg.End - seg.Start
	}
	sink.index.Rows, sink.index.Bytes = result.Rows, result.Bytes
	if sink.index.Note, err = json.Marshal(&note); err != nil {
		return err
	}
	t.report.Count("rows", result.Rows)
	t.report.Count("bytes", bytes)
	t.report.Count("blocks", result.Runs)
	return sink.w.Write(streaming.IndexKey(sink.key, split), sink.index.Append(nil))
}

// partition returns the partition that a split is in.
func (t *Plan) partition(split int) int {
	for i, p := range t.Partitions {
		if split < p.End {
			return i
		}
	}
	return -1 // there is none such
}
