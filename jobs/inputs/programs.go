package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"avro2trevni/internal/columns"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// Program returns what maps an input.
func (p *Plan) Program(input int) *mapper.Program {
	return p.Schemas.programs[p.Inputs[input].Header.Schema]
}

// KeyProgram returns what walks over the rows of an input for their keys ([Options].Keys): its
// columns are those of [columns.LayOut].
func (p *Plan) KeyProgram(input int) *mapper.Program {
	return p.Schemas.keys[p.Inputs[input].Header.Schema]
}

// compile compiles a program for each schema of the inputs, and one for the keys of its rows
// where those have other columns than the files.
func (p *Plan) compile(texts map[string]*schema.Text) (err error) {
	s := &p.Schemas
	if s.Layout, err = p.how.Format.LayOut(s.Rows); err != nil {
		return exit.Refused("%s: %w", p.Inputs[0].Path, err)
	}
	if s.programs, err = p.compileTo(s.Layout, texts); err != nil || !p.how.Keys {
		return err
	}
	keys, err := columns.LayOut(s.Rows)
	if err != nil {
		return exit.Refused("%s: %w", p.Inputs[0].Path, err)
	}
	if s.keys = s.programs; s.Layout.Levels || !slices.Equal(keys.Columns, s.Layout.Columns) {
		s.keys, err = p.compileTo(keys, texts)
	}
	return err
}

// compileTo compiles a program for each schema of the inputs; those that mean the same have
// the same one.
func (p *Plan) compileTo(l *mapper.Layout, texts map[string]*schema.Text) (map[string]*mapper.Program, error) {
	programs := map[string]*mapper.Program{}
	rows := p.Schemas.Rows.Text()
	resolved := map[string]bool{}
	var asWritten *mapper.Program
	p.Schemas.Resolved = 0
	for i := range p.Inputs {
		in := &p.Inputs[i]
		text := in.Header.Schema
		if programs[text] == nil {
			t := texts[text]
			same := p.how.Schema == "" || t == rows || schema.Equal(t.Schema, rows.Schema) == nil
			resolved[text] = !same
			if !same || asWritten == nil {
				prog, err := p.compileOne(l, in, t.Schema, same)
				if err != nil {
					return nil, err
				}
				programs[text] = prog
			}
			if same {
				asWritten = cmp.Or(asWritten, programs[text])
				programs[text] = asWritten
			}
		}
		if resolved[text] {
			p.Schemas.Resolved++
		}
	}
	return programs, nil
}

// compileOne compiles the program for an input's schema, which means the same as the
// rows' or is resolved to it.
func (p *Plan) compileOne(l *mapper.Layout, in *Input, from *schema.Schema, same bool) (*mapper.Program, error) {
	if same {
		from = p.Schemas.Rows.Text().Schema
	}
	prog, err := mapper.Compile(from, l)
	if m := (*schema.Mismatch)(nil); errors.As(err, &m) {
		return nil, exit.Refused("%s: %w, by the schema of %s", in.Path, err, p.Schemas.Of)
	}
	if err != nil {
		return nil, exit.Refused("%s: %w", in.Path, err)
	}
	return prog, nil
}

// CheckWritten parses the schema that is going to be written, which must give the columns
// of the rows, and records what a reader of the format refuses in it.
func (p *Plan) CheckWritten() error {
	if len(p.Inputs) == 0 {
		return nil
	}
	t := p.Schemas.Rows.Text()
	if p.Schemas.Text != t.String() {
		var err error
		if t, err = schema.ParseText(p.Schemas.Text); err != nil {
			return fmt.Errorf("jobs: the schema to write, of %s: %w", p.Schemas.Of, err)
		}
		written, err := p.how.Format.LayOut(t.All())
		if err != nil {
			return fmt.Errorf("jobs: the schema to write, of %s: %w", p.Schemas.Of, err)
		}
		if !slices.Equal(written.Columns, p.Schemas.Layout.Columns) {
			return fmt.Errorf("jobs: the schema to write, of %s, has other columns than the rows", p.Schemas.Of)
		}
	}
	p.Schemas.RefusedBy, p.Schemas.RefusedAt, p.Schemas.RefusedWhy = p.how.Format.Unreadable(t)
	return nil
}

// memory is the bytes that the programs hold.
func (s *Schemas) memory() (n int64) {
	counted := map[*mapper.Program]bool{}
	for _, programs := range []map[string]*mapper.Program{s.programs, s.keys} {
		for _, prog := range programs {
			if !counted[prog] {
				counted[prog] = true
				n += prog.Size()
			}
		}
	}
	return n
}

// LargestDefault is the largest number of bytes that defaults alone add to a column of one
// row, in any of the inputs.
func (p *Plan) LargestDefault() (n int64) {
	for _, prog := range p.Schemas.programs {
		n = max(n, prog.LargestDefault())
	}
	return n
}
