package local

import (
	"context"

	"avro2trevni/jobs/sorting"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
	"avro2trevni/shuffle"
)

// mapStage hands the splits to its workers, in order, and their results on.
//
//	splits 0 1 2 3 ... --> worker: reader, mapper, shuffle writer --> results
//	                       worker: reader, mapper, shuffle writer -->
type mapStage struct {
	*stages.Mapping
	shuffle *shuffle.Shuffle
	results chan<- *stages.Result
}

// work maps splits until there are none left. Several goroutines do so.
func (s *mapStage) work(ctx context.Context, _ int, t *turns.Turn) (err error) {
	reader := s.Reader(ctx)
	defer reader.Close()
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil { // a writer that failed fails again
			err = closeErr
		}
	}()
	m := mapper.New(s.W.Program, s.W.Table.Mapping(), s.W.Table.NewEncoder(), writer)
	m.SetRoom(reader.RowRoom())
	for {
		split, ok := s.Next(t)
		if !ok {
			return nil
		}
		result, err := reader.MapSplit(ctx, split, m)
		if err != nil {
			return err
		}
		if err := s.hand(ctx, writer, result); err != nil {
			return err
		}
	}
}

// workSorted maps splits of sorted rows until there are none left. Several goroutines do so.
func (s *mapStage) workSorted(ctx context.Context, sorted *sorting.Rows, t *turns.Turn) (err error) {
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil {
			err = closeErr
		}
	}()
	m := sorted.Mapper(writer)
	for {
		split, err := sorted.Next(ctx, t)
		if split == nil || err != nil {
			return err
		}
		result, err := sorted.MapSplit(ctx, split, m)
		if err != nil {
			return err
		}
		if err := s.hand(ctx, writer, result); err != nil {
			return err
		}
	}
}

// hand hands a split's result on, whose tuples are in the writer.
func (s *mapStage) hand(ctx context.Context, writer *shuffle.Writer, r *stages.Result) error {
	if err := writer.Seal(); err != nil {
		return err
	}
	select {
	case s.results <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
