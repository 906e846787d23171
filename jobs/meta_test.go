package jobs

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/trevni"
)

// withMeta makes a file of no rows whose header has this metadata.
func withMeta(t *testing.T, schema string, pairs ...string) string {
	t.Helper()
	var file bytes.Buffer
	o := &ocf.WriterOptions{Schema: schema}
	for _, p := range metaOf(pairs...) {
		o.Meta = append(o.Meta, ocf.Meta{Key: p.Key, Value: p.Value})
	}
	w, err := ocf.NewWriter(&file, o)
	must(t, err)
	must(t, w.Close())
	return file.String()
}

// Metadata that all inputs have alike goes along, the user's wins, and what differs is
// told of.
func TestCarriedMeta(t *testing.T) {
	tests := []struct {
		name    string
		inputs  [][]string // keys and values
		user    []string
		want    []string
		dropped []string
	}{
		{"none", [][]string{nil}, nil, nil, nil},
		{"one input", [][]string{{"b", "1", "a", "2"}}, nil, []string{"b", "1", "a", "2"}, nil},
		{"alike", [][]string{{"a", "1", "b", "x"}, {"b", "x", "a", "1"}}, nil, []string{"a", "1", "b", "x"}, nil},
		{"other values", [][]string{{"a", "1", "b", "1"}, {"a", "1", "b", "2"}, {"a", "1", "b", "1"}}, nil, []string{"a", "1"}, []string{"b"}},
		{"some have it", [][]string{{"a", "1"}, {"a", "1", "z", "1", "c", "1"}}, nil, []string{"a", "1"}, []string{"c", "z"}},
		{"user's", [][]string{{"a", "1", "b", "1"}, {"a", "2", "b", "1"}}, []string{"a", "3"}, []string{"b", "1", "a", "3"}, nil},
		{"formats' own", [][]string{{"trevni.codec", "lzo", "avro", "1"}}, nil, []string{"avro", "1"}, nil},
		{"not text", [][]string{{"\xff", "1", "", "2", "a", "\xff"}}, nil, []string{"a", "\xff"}, []string{"", "\xff"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := storagetest.NewMem()
			for i, meta := range test.inputs {
				m.Write("/in/"+string(rune('a'+i))+".avro", withMeta(t, blocksSchema, meta...))
			}
			o := &Options{FS: m, Inputs: []string{"/in"}, Output: "/out.trv", Memory: 64 << 20, TempDirs: []string{os.TempDir()}, Meta: metaOf(test.user...)}
			r, err := Convert(t.Context(), o)
			must(t, err)
			got := headerOf(t, m.Files()["/out.trv"]).Meta
			var own []ocf.Meta
			for _, p := range got {
				if p.Key != format.SchemaKey && p.Key != "trevni.codec" && p.Key != "trevni.checksum" {
					own = append(own, ocf.Meta(p))
				}
			}
			if d := cmp.Diff(metaOf(test.want...), own); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(test.dropped, r.Run.DroppedMeta); d != "" {
				t.Errorf("dropped: %s", d)
			}
			if n := len(test.want) - len(test.user); 2*len(r.Run.CarriedMeta) != n {
				t.Errorf("carried: %q", r.Run.CarriedMeta)
			}
		})
	}
}

func headerOf(t *testing.T, file string) *trevni.Header {
	t.Helper()
	r, err := trevni.NewReader(strings.NewReader(file), int64(len(file)), nil)
	must(t, err)
	return r.Header()
}

// The schema's text goes along verbatim, with logical types, unknown ones too, properties
// that nobody knows, documentation, and blanks.
func TestSchemaVerbatim(t *testing.T) {
	const text = "{ \"type\":\"record\", \"name\":\"r\", \"owner\":{\"team\":[1, 2.50]}, \"doc\":\"\\u00e9\", \"fields\":[\n" +
		"  {\"name\":\"t\", \"type\":{\"type\":\"long\", \"logicalType\":\"timestamp-micros\", \"x\":null}, \"pii\":true},\n" +
		"  {\"name\":\"u\", \"type\":{\"type\":\"string\", \"logicalType\":\"colour\"}, \"default\":\"\", \"order\":\"ignore\"} ] }"
	m := storagetest.NewMem()
	m.Write("/in/a.avro", withMeta(t, text))
	_, err := Convert(t.Context(), &Options{FS: m, Inputs: []string{"/in"}, Output: "/out.trv", Memory: 64 << 20, TempDirs: []string{os.TempDir()}})
	must(t, err)
	if got, _ := headerOf(t, m.Files()["/out.trv"]).Meta.Get(format.SchemaKey); string(got) != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

// What a file that is left out has in its header does not count, be it known before the others
// are read or after.
func TestCarriedMetaOfTheRest(t *testing.T) {
	m := storagetest.NewMem()
	file := func(name string, bad bool, pairs ...string) {
		var file bytes.Buffer
		o := &ocf.WriterOptions{Schema: blocksSchema}
		for _, p := range metaOf(pairs...) {
			o.Meta = append(o.Meta, ocf.Meta{Key: p.Key, Value: p.Value})
		}
		w, err := ocf.NewWriter(&file, o)
		must(t, err)
		must(t, w.Append(appendRow(nil, 1), 1))
		must(t, w.Close())
		if bad {
			file.Bytes()[file.Len()-1]++
		}
		m.Write(name, file.String())
	}
	file("/in/a.avro", true, "z", "1", "y", "2")
	file("/in/b.avro", false, "a", "1", "b", "2", "c", "3")
	file("/in/c.avro", false, "c", "4", "b", "2", "a", "1")
	file("/in/d.avro", false, "a", "1", "b", "2")
	r, err := Convert(t.Context(), &Options{FS: m, Inputs: []string{"/in"}, Output: "/out.trv", OnCorrupt: CorruptSkipFile, TempDirs: []string{t.TempDir()}})
	wantExit(t, err, exit.StatusSome, "skipped")
	if d := cmp.Diff([]string{"a", "b"}, r.Run.CarriedMeta); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"c"}, r.Run.DroppedMeta); d != "" {
		t.Error(d)
	}
}

// A plan holds what all headers have alike, and not what each has.
func TestPlanHoldsNoHeaders(t *testing.T) {
	m := storagetest.NewMem()
	const files, each = 40, units.MiB
	for i := range files {
		value := strings.Repeat(fmt.Sprintf("%03d", i), each/3)
		m.Write(fmt.Sprintf("/in/%d.avro", i), withMeta(t, blocksSchema, "same", "1", "own", value))
	}
	o := (&Options{FS: m, Inputs: []string{"/in"}, Output: "/out"}).withDefaults()
	live := func() int64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	before := live()
	p, err := newPlan(t.Context(), o, nil)
	must(t, err)
	if held := live() - before; held > files*each/4 {
		t.Errorf("the plan of %d headers of %d bytes holds %d", files, each, held)
	}
	if own, dropped := p.Carried(nil); len(own) != 1 || len(dropped) != 1 {
		t.Errorf("%d are carried, %q not", len(own), dropped)
	}
}
