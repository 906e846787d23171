package jobs

import (
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// What inputs of several schemas may be resolved to, beside the schema of a file.
const (
	SchemaLatest = "latest" // the newest input's
	SchemaMerge  = "merge"  // a union of all
)

// tables is what the plan knows of schemas: that of the rows written, and how each
// input's rows become such rows.
type tables struct {
	of       string                     // where the rows' schema is from, for people
	rows     *schema.Selection          // the rows' schema, and what is kept of it
	programs map[string]*mapper.Program // by the text of a writer's schema
	resolved int                        // inputs whose schema is not the rows'
}

// program returns what maps an input.
func (p *Plan) program(input int) *mapper.Program {
	return p.tables.programs[p.Inputs[input].Header.Schema]
}

// resolve decides what schema the rows have, and how each input's rows become such:
// it fills in SchemaText and tables. What cannot be is refused, with the file.
func (p *Plan) resolve(o *Options) error {
	if len(p.Inputs) == 0 {
		return nil
	}
	texts, err := p.parse(o.Memory)
	if err != nil {
		return err
	}
	reader, err := p.reader(o, texts)
	if err != nil {
		return err
	}
	p.tables.rows, err = reader.Select(o.Columns, o.Exclude)
	if errors.Is(err, schema.ErrNoField) || errors.Is(err, schema.ErrShared) {
		return refused("columns of %s: %w", p.tables.of, err)
	}
	if err != nil {
		return err
	}
	if p.SchemaText, err = p.tables.rows.JSON(); err != nil {
		return fmt.Errorf("jobs: write the schema: %w", err)
	}
	return p.compile(o, texts)
}

// schemaMemory is about what a byte of a schema's text takes, in bytes, once it is parsed
// and compiled: measured on 50,000 fields of a few letters.
const schemaMemory = 64

// parse parses the inputs' schemas, each text once, as far as memory allows.
func (p *Plan) parse(memory int64) (map[string]*schema.Text, error) {
	texts := map[string]*schema.Text{}
	size := int64(0)
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if texts[in.Header.Schema] != nil {
			continue
		}
		if size += int64(len(in.Header.Schema)); size*schemaMemory > memory {
			return nil, refused("memory %s is too little for the schema of %s, of %d bytes: it needs at least %s",
				humanize.IBytes(uint64(memory)), in.Path, len(in.Header.Schema), humanize.IBytes(uint64(size*schemaMemory)))
		}
		t, err := schema.ParseText(in.Header.Schema)
		if err != nil {
			return nil, refused("%s: %w", in.Path, err)
		}
		texts[in.Header.Schema] = t
	}
	return texts, nil
}

// reader returns the schema of the rows, before any of it is left out.
func (p *Plan) reader(o *Options, texts map[string]*schema.Text) (*schema.Text, error) {
	switch o.Schema {
	case "":
		p.tables.of = p.Inputs[0].Path
		return texts[p.Inputs[0].Header.Schema], p.same(texts)
	case SchemaLatest:
		in := p.latest()
		p.tables.of = in.Path
		return texts[in.Header.Schema], nil
	case SchemaMerge:
		p.tables.of = "all inputs, merged"
		return p.merge(texts)
	}
	p.tables.of = o.Schema
	return readSchema(o)
}

// same checks that all schemas mean the same. If they don't it names the first file,
// the first that differs, and the first field in which they do.
func (p *Plan) same(texts map[string]*schema.Text) error {
	first := texts[p.Inputs[0].Header.Schema]
	checked := map[*schema.Text]bool{first: true}
	for i := range p.Inputs {
		t := texts[p.Inputs[i].Header.Schema]
		if checked[t] {
			continue
		}
		checked[t] = true
		if err := schema.Equal(first.Schema, t.Schema); err != nil {
			return refused("%s and %s have different schemas: %w; --schema resolves them to one", p.Inputs[0].Path, p.Inputs[i].Path, err)
		}
	}
	return nil
}

// latest returns the input modified last; of several the last in the inputs' order.
func (p *Plan) latest() *Input {
	last := &p.Inputs[0]
	for i := range p.Inputs {
		if !p.Inputs[i].ModTime.Before(last.ModTime) {
			last = &p.Inputs[i]
		}
	}
	return last
}

// merge merges all schemas, in the inputs' order.
func (p *Plan) merge(texts map[string]*schema.Text) (*schema.Text, error) {
	merged := texts[p.Inputs[0].Header.Schema]
	done := map[*schema.Text]bool{merged: true}
	for i := range p.Inputs {
		t := texts[p.Inputs[i].Header.Schema]
		if done[t] {
			continue
		}
		done[t] = true
		var err error
		if merged, err = schema.Merge(merged, t); err != nil {
			return nil, refused("%s: cannot be merged with the inputs before it: %w", p.Inputs[i].Path, err)
		}
	}
	return merged, nil
}

// readSchema reads the schema that the user gave.
func readSchema(o *Options) (t *schema.Text, err error) {
	f, err := o.FS.Open(o.Schema)
	if err != nil {
		return nil, refused("schema: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, o.MaxHeader+1))
	if err != nil {
		return nil, refused("schema %s: %w", o.Schema, err)
	}
	if int64(len(text)) > o.MaxHeader {
		return nil, refused("schema %s: is larger than --max-header-bytes %d", o.Schema, o.MaxHeader)
	}
	if t, err = schema.ParseText(string(text)); err != nil {
		return nil, refused("schema %s: %w", o.Schema, err)
	}
	return t, nil
}

// compile compiles a program for each schema of the inputs; those that mean the same
// have the same one.
func (p *Plan) compile(o *Options, texts map[string]*schema.Text) error {
	p.tables.programs = map[string]*mapper.Program{}
	rows := p.tables.rows.Text()
	var asWritten *mapper.Program
	for i := range p.Inputs {
		in := &p.Inputs[i]
		t := texts[in.Header.Schema]
		same := o.Schema == "" || t == rows || schema.Equal(t.Schema, rows.Schema) == nil
		if !same {
			p.tables.resolved++
		}
		if p.tables.programs[in.Header.Schema] != nil {
			continue
		}
		from := t.Schema
		if same {
			from = rows.Schema
		}
		if same && asWritten != nil {
			p.tables.programs[in.Header.Schema] = asWritten
			continue
		}
		prog, err := mapper.CompileTo(from, p.tables.rows)
		if m := (*schema.Mismatch)(nil); errors.As(err, &m) {
			return refused("%s: %w, by the schema of %s", in.Path, err, p.tables.of)
		}
		if err != nil {
			return refused("%s: %w", in.Path, err)
		}
		if same {
			asWritten = prog
		}
		p.tables.programs[in.Header.Schema] = prog
	}
	return nil
}

// programsMemory is the bytes that the programs hold.
func (p *Plan) programsMemory() (n int64) {
	counted := map[*mapper.Program]bool{}
	for _, prog := range p.tables.programs {
		if !counted[prog] {
			counted[prog] = true
			n += prog.Size()
		}
	}
	return n
}

// validateSchema checks the options about schemas.
func (o *Options) validateSchema() error {
	for _, list := range [][]string{o.Columns, o.Exclude} {
		for _, path := range list {
			if path == "" {
				return usage("columns: a path is empty")
			}
		}
	}
	return nil
}
