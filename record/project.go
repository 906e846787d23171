package record

import "avro2trevni/internal/schema"

// Project returns the schema that is left of a schema's text if only the fields on
// the given paths are kept, in their order in the text; its doc strings and
// properties stay. A path is names of fields with dots between, from the top level
// on, as in "Name.Language.Code": arrays, maps and unions on the way are passed
// through. A * stands for any part of a name. All that is under a path is kept.
//
// Of a union, the branches that a path leads through are kept, and null, which is
// what a [Reader] gives for the others; one without null keeps all. A named type
// that is used in several places keeps in all of them what a path keeps in any.
//
// A path that leads nowhere is [ErrNoField]; no path at all keeps everything.
func Project(text string, paths []string) (string, error) {
	t, err := schema.ParseText(text)
	if err != nil {
		return "", err
	}
	s, err := t.Select(paths, nil)
	if err != nil {
		return "", err
	}
	return s.JSON()
}
