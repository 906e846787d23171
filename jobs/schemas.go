package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
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

	refusedAt, refusedWhy string // what Java's Trevni reader has against the schema as it is written
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
		return exit.Refused("columns of %s: %w", p.tables.of, err)
	}
	if err != nil {
		return err
	}
	if p.SchemaText, err = p.tables.rows.JSON(); err != nil {
		return fmt.Errorf("jobs: write the schema: %w", err)
	}
	return p.compile(o, texts)
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
func (p *Plan) parse(total int64) (map[string]*schema.Text, error) {
	known := schemaTexts{memory: total}
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
func readSchema(o *Options) (t *schema.Text, err error) {
	f, err := o.FS.Open(o.Schema)
	if err != nil {
		return nil, exit.Refused("schema: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, o.MaxHeader+1))
	if err != nil {
		return nil, exit.Refused("schema %s: %w", o.Schema, err)
	}
	if int64(len(data)) > o.MaxHeader {
		return nil, exit.Refused("schema %s: is larger than --max-header-bytes %d", o.Schema, o.MaxHeader)
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

// compile compiles a program for each schema of the inputs; those that mean the same
// have the same one.
func (p *Plan) compile(o *Options, texts map[string]*schema.Text) error {
	p.tables.programs = map[string]*mapper.Program{}
	rows := p.tables.rows.Text()
	resolved := map[string]bool{}
	var asWritten *mapper.Program
	for i := range p.Inputs {
		in := &p.Inputs[i]
		text := in.Header.Schema
		if p.tables.programs[text] == nil {
			t := texts[text]
			same := o.Schema == "" || t == rows || schema.Equal(t.Schema, rows.Schema) == nil
			resolved[text] = !same
			if !same || asWritten == nil {
				prog, err := p.compileOne(in, t.Schema, same)
				if err != nil {
					return err
				}
				p.tables.programs[text] = prog
			}
			if same {
				asWritten = cmp.Or(asWritten, p.tables.programs[text])
				p.tables.programs[text] = asWritten
			}
		}
		if resolved[text] {
			p.tables.resolved++
		}
	}
	return nil
}

// compileOne compiles the program for an input's schema, which means the same as the
// rows' or is resolved to it.
func (p *Plan) compileOne(in *Input, from *schema.Schema, same bool) (*mapper.Program, error) {
	if same {
		from = p.tables.rows.Text().Schema
	}
	prog, err := mapper.CompileTo(from, p.tables.rows)
	if m := (*schema.Mismatch)(nil); errors.As(err, &m) {
		return nil, exit.Refused("%s: %w, by the schema of %s", in.Path, err, p.tables.of)
	}
	if err != nil {
		return nil, exit.Refused("%s: %w", in.Path, err)
	}
	return prog, nil
}

// checkWritten reads the schema as it is written, which must make the columns that are
// written, and notes what Java's reader of Trevni files has against it.
func (p *Plan) checkWritten() error {
	if len(p.Inputs) == 0 {
		return nil
	}
	t := p.tables.rows.Text()
	if p.SchemaText != t.String() {
		var err error
		if t, err = schema.ParseText(p.SchemaText); err != nil {
			return fmt.Errorf("jobs: the schema to write, of %s: %w", p.tables.of, err)
		}
		prog, err := mapper.Compile(t.Schema)
		if err != nil {
			return fmt.Errorf("jobs: the schema to write, of %s: %w", p.tables.of, err)
		}
		if !slices.EqualFunc(prog.Columns(), p.program(0).Columns(), sameColumn) {
			return fmt.Errorf("jobs: the schema to write, of %s, has other columns than the rows", p.tables.of)
		}
	}
	at, why := t.Unreadable()
	p.tables.refusedAt, p.tables.refusedWhy = cmp.Or(at, "the top level"), why
	return nil
}

func sameColumn(a, b trevni.Column) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Array == b.Array && a.Parent == b.Parent
}

// warnOfNames says what Java's reader of Trevni files refuses in the schema: the data
// are converted all the same, and other readers take them.
func (p *Plan) warnOfNames(o *Options) {
	if p.tables.refusedWhy != "" {
		o.Log.Warn("Java's Trevni reader does not open the output: the schema has what it refuses",
			"schema", p.tables.of, "at", p.tables.refusedAt, "why", p.tables.refusedWhy)
	}
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

// largestDefault is the most bytes that a row of any of the inputs gets in a column by
// defaults alone.
func (p *Plan) largestDefault() (n int64) {
	for _, prog := range p.tables.programs {
		n = max(n, prog.LargestDefault())
	}
	return n
}

// validateSchema checks the options about schemas.
func (o *Options) validateSchema() error {
	for _, list := range [][]string{o.Columns, o.Exclude} {
		for _, path := range list {
			if path == "" {
				return exit.Usage("columns: a path is empty")
			}
		}
	}
	return nil
}
