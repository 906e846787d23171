package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/mapper"
)

// What inputs of several schemas may be resolved to, beside the schema of a file.
const (
	SchemaLatest = "latest" // the newest input's
	SchemaMerge  = "merge"  // a union of all
)

// Schemas is what the plan knows of schemas: that of the rows written, and how each
// input's rows become such rows.
type Schemas struct {
	Of       string            // where the rows' schema is from, for people
	Text     string            // of the rows, as it is written
	Rows     *schema.Selection // the rows' schema, and what is kept of it
	Layout   *mapper.Layout    // their columns
	Resolved int               // inputs whose schema is not the rows'

	RefusedBy, RefusedAt, RefusedWhy string // a reader that does not open files with the schema as it is written, and why

	programs map[string]*mapper.Program // by the text of a writer's schema
	keys     map[string]*mapper.Program // the same, for the columns that keys of rows are taken from
}

// Resolve decides what schema the rows have, and how each input's rows become such:
// it fills in Schemas. What cannot be is refused, with the file.
func (p *Plan) Resolve() error {
	if len(p.Inputs) == 0 {
		return nil
	}
	texts, err := p.parse()
	if err != nil {
		return err
	}
	reader, err := p.reader(texts)
	if err != nil {
		return err
	}
	p.Schemas.Rows, err = reader.Select(p.how.Columns, p.how.Exclude)
	if errors.Is(err, schema.ErrNoField) || errors.Is(err, schema.ErrShared) {
		return exit.Refused("columns of %s: %w", p.Schemas.Of, err)
	}
	if err != nil {
		return err
	}
	if p.Schemas.Text, err = p.Schemas.Rows.JSON(); err != nil {
		return fmt.Errorf("jobs: write the schema: %w", err)
	}
	return p.compile(texts)
}

// ResolveTo is Resolve where it is decided: rows is the text of the schema of the rows, before
// any of it is left out, and text is that which is written.
func (p *Plan) ResolveTo(rows, text string) error {
	texts, err := p.parse()
	if err != nil {
		return err
	}
	to := texts[rows]
	if to == nil {
		if to, err = schema.ParseText(rows); err != nil {
			return fmt.Errorf("jobs: the plan's schema: %w", err)
		}
	}
	if p.Schemas.Rows, err = to.Select(p.how.Columns, p.how.Exclude); err != nil {
		return err
	}
	p.Schemas.Text, p.Schemas.Of = text, cmp.Or(p.how.Schema, p.Inputs[0].Path)
	return p.compile(texts)
}

// What a byte of a schema's text takes at the most while it is parsed and compiled, in
// bytes, about: measured on 50,000 fields of a few letters, and on a default of 15 MB.
const (
	schemaMemory = 64
	longMemory   = 12 // in a string of longString bytes or more: a text or a default
	longString   = 256
)

// schemaNeed estimates the memory that a schema's text takes.
func schemaNeed(text string) int64 {
	need := int64(len(text)) * schemaMemory
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			return need
		}
		text = text[i+1:]
		end := 0
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(text))
		if end >= longString {
			need -= int64(end) * (schemaMemory - longMemory)
		}
		text = text[min(end+1, len(text)):]
	}
}

// parse parses the inputs' schemas, each text once, as far as memory allows.
func (p *Plan) parse() (map[string]*schema.Text, error) {
	known := schemaTexts{memory: p.how.Memory}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if _, bad, err := known.parse(in); err != nil {
			return nil, err
		} else if bad != nil {
			return nil, exit.Refused("%s: %w", in.Path, bad)
		}
	}
	return known.texts, nil
}

// NoteSchemas notes as damaged the inputs whose header has no schema that can be used.
func (p *Plan) NoteSchemas() error {
	known := schemaTexts{memory: p.how.Memory}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if in.Known != nil {
			continue
		}
		_, bad, err := known.parse(in)
		if err != nil {
			return err
		}
		if bad != nil {
			in.Known = in.lost(fmt.Errorf("%s: %w", in.Path, bad))
		}
	}
	return nil
}

// schemaTexts parses schemas, each text once.
type schemaTexts struct {
	memory int64 // what they may take
	need   int64 // of the texts
	texts  map[string]*schema.Text
	bad    map[string]error
}

// parse returns an input's schema, or what is wrong with it. The error is that memory is
// too little.
func (s *schemaTexts) parse(in *Input) (t *schema.Text, bad, err error) {
	text := in.Header.Schema
	if t, bad = s.texts[text], s.bad[text]; t != nil || bad != nil {
		return t, bad, nil
	}
	s.need += schemaNeed(text)
	if err := schemaFits(s.memory, s.need, text, "the schema of "+in.Path); err != nil {
		return nil, nil, err
	}
	if s.texts == nil {
		s.texts, s.bad = map[string]*schema.Text{}, map[string]error{}
	}
	if t, bad = schema.ParseText(text); bad != nil {
		s.bad[text] = bad
		return nil, bad, nil
	}
	s.texts[text] = t
	return t, nil, nil
}

// reader returns the schema of the rows, before any of it is left out.
func (p *Plan) reader(texts map[string]*schema.Text) (*schema.Text, error) {
	switch p.how.Schema {
	case "":
		p.Schemas.Of = p.Inputs[0].Path
		return texts[p.Inputs[0].Header.Schema], p.same(texts)
	case SchemaLatest:
		in := p.latest()
		p.Schemas.Of = in.Path
		return texts[in.Header.Schema], nil
	case SchemaMerge:
		p.Schemas.Of = "all inputs, merged"
		return p.merge(texts)
	}
	p.Schemas.Of = p.how.Schema
	return p.how.readSchema()
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
			return exit.Refused("%s and %s have different schemas: %w; --schema resolves them to one", p.Inputs[0].Path, p.Inputs[i].Path, err)
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
			return nil, exit.Refused("%s: cannot be merged with the inputs before it: %w", p.Inputs[i].Path, err)
		}
	}
	return merged, nil
}

// schemaFits refuses a schema's text where all that are held need more memory than there is.
func schemaFits(total, need int64, text, of string) error {
	if need <= total {
		return nil
	}
	need = memory.RoundUp(need, units.MiB)
	return exit.Refused("memory %s is too little for %s, of %d bytes: it needs at least %s (%d bytes)",
		units.Size(total), of, len(text), units.Size(need), need)
}

// readSchema reads the schema that the user gave.
func (o *Options) readSchema() (t *schema.Text, err error) {
	f, err := o.FS.Open(o.Schema)
	if err != nil {
		return nil, exit.Refused("schema: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, o.Limits.HeaderBytes+1))
	if err != nil {
		return nil, exit.Refused("schema %s: %w", o.Schema, err)
	}
	if int64(len(data)) > o.Limits.HeaderBytes {
		return nil, exit.Refused("schema %s: is larger than --max-header-bytes %d", o.Schema, o.Limits.HeaderBytes)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if err := schemaFits(o.Memory, schemaNeed(text), text, "the schema "+o.Schema); err != nil {
		return nil, err
	}
	if t, err = schema.ParseText(text); err != nil {
		return nil, exit.Refused("schema %s: %w", o.Schema, err)
	}
	return t, nil
}
