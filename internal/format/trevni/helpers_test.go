package trevni

import (
	"context"

	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// options are those of files, and of the reducer.
type options struct {
	Columns                   []trevni.Column
	Meta                      trevni.Metadata
	BlockSize                 int
	Codec                     block.Codec
	Checksum                  trevni.Checksum
	Workers, Readers          int
	StageMemory, LayoutMemory int64
	Temp                      func() (reducer.TempFile, error)
}

// reducing returns the reducer's.
func (o *options) reducing() (*reducer.Options, error) {
	f, err := NewFiles(FileOptions{Columns: o.Columns, Meta: o.Meta, BlockSize: o.BlockSize, Codec: o.Codec, Checksum: o.Checksum})
	return &reducer.Options{
		Format: f, Workers: o.Workers, Readers: o.Readers, StageMemory: o.StageMemory, LayoutMemory: o.LayoutMemory, Temp: o.Temp,
	}, err
}

// lay lays a group out.
func lay(ctx context.Context, src reducer.Source, rng reducer.Range, o *options) (*reducer.Group, error) {
	ro, err := o.reducing()
	if err != nil {
		return nil, err
	}
	return reducer.Layout(ctx, src, rng, ro)
}
