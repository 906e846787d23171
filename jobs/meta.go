package jobs

import (
	"maps"
	"slices"
	"unicode/utf8"

	"avro2trevni/trevni"
)

// carried returns the metadata of the inputs that goes along into the files: what all of
// them have alike, and is neither the formats' own nor among the user's; and the keys of
// what does not, because the inputs differ.
func (p *Plan) carried(o *Options) (own []trevni.Property, dropped []string) {
	if len(p.Inputs) == 0 {
		return nil, nil
	}
	users := map[string]bool{}
	for _, m := range o.Meta {
		users[m.Key] = true
	}
	type value struct {
		text  string
		count int // inputs that have it
	}
	values := map[string]*value{}
	for i := range p.Inputs {
		for _, m := range p.Inputs[i].Header.Meta {
			if reserved(m.Key) || users[m.Key] {
				continue
			}
			v := values[m.Key]
			if v == nil {
				v = &value{text: string(m.Value)}
				values[m.Key] = v
			}
			if v.text == string(m.Value) {
				v.count++
			}
		}
	}
	for _, m := range p.Inputs[0].Header.Meta {
		if v := values[m.Key]; v != nil && v.count == len(p.Inputs) && m.Key != "" && utf8.ValidString(m.Key) {
			own = append(own, trevni.Property{Key: m.Key, Value: m.Value})
			delete(values, m.Key)
		}
	}
	return own, slices.Sorted(maps.Keys(values))
}

// meta returns the files' metadata: the schema, what the inputs have alike, and what the
// user gave.
func (j *job) meta() trevni.Metadata {
	meta := trevni.Metadata{{Key: schemaKey, Value: []byte(j.plan.SchemaText)}}
	carried, _ := j.plan.carried(j.o)
	return slices.Concat(meta, carried, j.o.Meta)
}

// keysOf returns the keys of properties.
func keysOf(all []trevni.Property) (keys []string) {
	for _, p := range all {
		keys = append(keys, p.Key)
	}
	return keys
}
