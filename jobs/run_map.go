package jobs

import (
	"context"

	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
	"avro2trevni/shuffle"
)

// mapStage hands the splits to its workers, in order, and their results on.
//
//	splits 0 1 2 3 ... --> worker: reader, mapper, shuffle writer --> results
//	                       worker: reader, mapper, shuffle writer -->
type mapStage struct {
	*mapping
	shuffle *shuffle.Shuffle
	results chan<- *splitResult
}

// work maps splits until there are none left. Several goroutines do so.
func (s *mapStage) work(ctx context.Context, _ int, t *turns.Turn) (err error) {
	reader := s.reader(ctx)
	defer reader.close()
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil { // a writer that failed fails again
			err = closeErr
		}
	}()
	m := mapper.New(s.w.Program, s.w.Table.Mapping(), s.w.Table.NewEncoder(), writer)
	m.SetRoom(reader.rowRoom())
	for {
		split, ok := s.next(t)
		if !ok {
			return nil
		}
		result, err := reader.mapSplit(ctx, split, m)
		if err != nil {
			return err
		}
		if err := s.hand(ctx, writer, result); err != nil {
			return err
		}
	}
}

// workSorted maps splits of sorted rows until there are none left. Several goroutines do so.
func (s *mapStage) workSorted(ctx context.Context, sorted *sortedRows, t *turns.Turn) (err error) {
	writer := s.shuffle.NewWriter()
	defer func() {
		if closeErr := writer.Close(); err == nil {
			err = closeErr
		}
	}()
	m := sorted.mapper(writer)
	for {
		split, err := sorted.next(ctx, t)
		if split == nil || err != nil {
			return err
		}
		result, err := sorted.mapSplit(ctx, split, m)
		if err != nil {
			return err
		}
		if err := s.hand(ctx, writer, result); err != nil {
			return err
		}
	}
}

// hand hands a split's result on, whose tuples are in the writer.
func (s *mapStage) hand(ctx context.Context, writer *shuffle.Writer, r *splitResult) error {
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
