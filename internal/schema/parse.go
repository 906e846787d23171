package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/avro"
)

// MaxDepth is the most types that may stand one in another, named types followed to
// their definition.
const MaxDepth = 256

// Errors of [Parse].
var (
	ErrSchema = errors.New("schema: not an Avro schema")                               // what the text says is no schema
	ErrDepth  = fmt.Errorf("schema: types nest deeper than the limit of %d", MaxDepth) // see MaxDepth
)

// Parse reads a schema from its JSON text, and checks it: names resolve, union
// branches differ, types nest no deeper than [MaxDepth]. Its errors are [ErrSchema]
// with the cause, or [ErrDepth] with the path. What does not touch the data, such as
// a default of the wrong type, is no error: writers have let it pass, and readers
// of data files do. Memory and time are linear in the text's length.
func Parse(text string) (*Schema, error) {
	root, err := parseRoot(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, brief{err})
	}
	b := builder{types: make(map[string]*Schema)}
	b.declare(root, "")
	s, err := b.build(root, "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s, checkDepth(s)
}

// parseRoot parses the text, and if that fails without what has no part in the data.
func parseRoot(text string) (*avro.SchemaNode, error) {
	anyName := avro.WithLaxNames(func(string) error { return nil })
	s, err := avro.Parse(text, anyName)
	if err != nil {
		bare, ok := strip(text)
		if !ok {
			return nil, err
		}
		var again error
		if s, again = avro.Parse(bare, anyName); again != nil {
			return nil, err
		}
	}
	return s.Root(), nil
}

// briefLen is the most bytes of a parser's message that brief shows.
const briefLen = 300

// brief is an error whose message leaves out the middle where it is long: the
// parser repeats itself at each level of nesting.
type brief struct{ error }

func (b brief) Error() string {
	s := b.error.Error()
	if len(s) <= briefLen {
		return s
	}
	return strings.ToValidUTF8(s[:briefLen/2]+" ... "+s[len(s)-briefLen/2:], "?")
}

func (b brief) Unwrap() error { return b.error }
