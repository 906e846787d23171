package jobs

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
)

// One partition and one file: the bytes are the local engine's, for all fixtures.
func TestHadoopMakesTheSameBytes(t *testing.T) {
	fixtures, err := filepath.Glob("../testdata/avro/*.avro")
	if err != nil || len(fixtures) < 30 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	for _, name := range fixtures {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := Options{Inputs: []string{name}, Output: filepath.Join(dir, "local"), SplitSize: 1 * units.KiB}
			r, err := Convert(t.Context(), &o)
			if err != nil {
				t.Fatal(err)
			}
			o.Output = filepath.Join(dir, "hadoop")
			o.Hadoop.Partitions = 1
			h, err := onSimulated(t, o, simulated{retry: true})
			if err != nil {
				t.Fatal(err)
			}
			if h.Counters.Rows != r.Counters.Rows || len(h.Outputs) != 1 {
				t.Errorf("%d rows in %d files, locally %d", h.Counters.Rows, len(h.Outputs), r.Counters.Rows)
			}
			if !maps.Equal(contents(t, o.Output), contents(t, filepath.Join(dir, "local"))) {
				t.Error("the bytes differ")
			}
		})
	}
}

// The rows are the local engine's, in its order, however they are divided; files are
// full but for a partition's last; the shuffle moves little more than the output.
func TestHadoopRowsAndFiles(t *testing.T) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			in := writeShape(t, shape, 7)
			local := filepath.Join(t.TempDir(), "out")
			want, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: local, BlockSize: 2 * units.KiB})
			if err != nil {
				t.Fatal(err)
			}
			for _, partitions := range []int{0, 1, 2, 5} {
				limit, least := int64(96*units.KiB), int64(80*units.KiB) // a split is some kilobytes
				if shape == "wide" {
					limit, least = 256*units.KiB, 128*units.KiB // and here an Avro block is
				}
				out := filepath.Join(t.TempDir(), "out")
				o := Options{Inputs: []string{in}, Output: out, BlockSize: 2 * units.KiB, FileSize: limit, SplitSize: 2 * units.KiB}
				o.Hadoop.Partitions = partitions
				r, err := onSimulated(t, o, simulated{retry: partitions == 2})
				if err != nil {
					t.Fatal(err)
				}
				if digestsOf(t, out, r) != digestsOf(t, local, want) || r.Counters.Rows != want.Counters.Rows {
					t.Errorf("%d partitions: other rows", partitions)
				}
				for i := range r.Inputs {
					if r.Inputs[i].Rows != want.Inputs[i].Rows {
						t.Errorf("%s: %d rows, not %d", r.Inputs[i].Path, r.Inputs[i].Rows, want.Inputs[i].Rows)
					}
				}
				notFull := 0
				for _, f := range r.Outputs {
					if f.Bytes > limit {
						t.Errorf("%d partitions: %s has %d bytes", partitions, f.Path, f.Bytes)
					}
					if f.Bytes < least {
						notFull++
					}
				}
				h := r.Run.Hadoop
				if notFull > h.Partitions || partitions > 0 && h.Partitions != partitions {
					t.Errorf("%d partitions, of %d: %d files are not full", h.Partitions, partitions, notFull)
				}
				if most := r.Counters.OutputBytes * 11 / 10; shape == "flat" && h.ShuffledBytes > most {
					t.Errorf("%d bytes through the shuffle for %d of output", h.ShuffledBytes, r.Counters.OutputBytes)
				}
			}
		})
	}
}

// Where a file's rows are those of whole inputs, its bytes are those that the local
// engine makes of them: packing and layout are the same.
func TestHadoopSamePackingSameBytes(t *testing.T) {
	in := writeShape(t, "flat", 9)
	out := filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{in}, Output: out, BlockSize: 2 * units.KiB, FileSize: 64 * units.KiB, SplitSize: 60 * units.KiB}
	o.Hadoop.Partitions = 2
	r, err := onSimulated(t, o, simulated{})
	if err != nil || len(r.Outputs) < 4 {
		t.Fatalf("%d files: %v", len(r.Outputs), err)
	}
	compared, at := 0, 0
	for _, f := range r.Outputs {
		var names []string
		for rows := f.Rows; rows > 0 && at < len(r.Inputs); at++ {
			rows -= r.Inputs[at].Rows
			names = append(names, r.Inputs[at].Path)
			if rows < 0 {
				t.Fatal("a file ends within an input, which the sizes of inputs and splits are to prevent")
			}
		}
		one := filepath.Join(t.TempDir(), "one.trv")
		if _, err := Convert(t.Context(), &Options{Inputs: names, Output: one, BlockSize: o.BlockSize, SplitSize: o.SplitSize}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, out)[f.Path] != string(want) {
			t.Errorf("%s: other bytes than of %q alone", f.Path, names)
		}
		compared++
	}
	if compared != len(r.Outputs) {
		t.Errorf("%d of %d files were compared", compared, len(r.Outputs))
	}
}

// Options go the same way as with the local engine.
func TestHadoopOptions(t *testing.T) {
	in := writeShape(t, "flat", 3)
	for name, o := range map[string]Options{
		"one file":  {Output: "out.trv"},
		"columns":   {Columns: []string{"id", "name"}},
		"codecs":    {Codec: "deflate,name=null", Checksum: "null,id=crc32"},
		"index":     {Index: []string{"id"}},
		"meta":      {Meta: []ocf.Meta{{Key: "k", Value: []byte("v")}}},
		"verify":    {Verify: true},
		"merge":     {Schema: inputs.SchemaMerge},
		"latest":    {Schema: inputs.SchemaLatest, Exclude: []string{"price"}},
		"no memory": {Memory: 40 * units.MiB},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Inputs, o.SplitSize, o.FileSize = []string{in}, 16*units.KiB, 64*units.MiB
			suffix := orDefault(o.Output, "out")
			var files [2]string
			for i, dir := range []string{t.TempDir(), t.TempDir()} {
				o.Output = filepath.Join(dir, suffix)
				var err error
				if i == 0 {
					_, err = Convert(t.Context(), &o)
				} else {
					o.Hadoop.Partitions = 1
					_, err = onSimulated(t, o, simulated{})
				}
				if err != nil {
					t.Fatal(err)
				}
				name := o.Output
				if suffix == "out" {
					name = filepath.Join(name, "part-00000.trv")
				}
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				files[i] = string(data)
			}
			if files[0] != files[1] {
				t.Error("the bytes differ")
			}
		})
	}
}

// An output is replaced and appended to as by the local engine; with either one.
func TestHadoopIfExists(t *testing.T) {
	in, out := writeShape(t, "flat", 4), filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{filepath.Join(in, "00.avro")}, Output: out}
	if _, err := onSimulated(t, o, simulated{}); err != nil {
		t.Fatal(err)
	}
	_, err := onSimulated(t, o, simulated{})
	if !errors.Is(err, exit.ErrExists) || exit.Code(err) != exit.StatusRefused {
		t.Errorf("the second time: %v", err)
	}
	o.IfExists = IfExistsAppend
	o.Inputs = []string{filepath.Join(in, "00.avro"), filepath.Join(in, "01.avro")}
	if _, err := onSimulated(t, o, simulated{}); err != nil {
		t.Fatal(err)
	}
	o.Inputs = []string{in}
	r, err := Convert(t.Context(), &o)
	if err != nil || len(r.Outputs) != 3 || len(r.Inputs) != 4 {
		t.Fatalf("%d inputs, %d outputs: %v", len(r.Inputs), len(r.Outputs), err)
	}
	local := filepath.Join(t.TempDir(), "local")
	want, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: local})
	if err != nil || digestsOf(t, out, r) != digestsOf(t, local, want) {
		t.Errorf("other rows: %v", err)
	}
	o.IfExists = IfExistsReplace
	if r, err = onSimulated(t, o, simulated{}); err != nil || len(contents(t, out)) != len(r.Outputs) {
		t.Errorf("replaced: %v: %v", r.Outputs, err)
	}
}

// Inputs without rows make one file, as everywhere; and rows none that is empty.
func TestHadoopWithoutRows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	o := Options{Inputs: []string{"../testdata/avro/fastavro-1.13.1-zero-rows.avro"}, Output: out}
	r, err := onSimulated(t, o, simulated{})
	if err != nil || len(r.Outputs) != 1 || r.Counters.Rows != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	dir := t.TempDir()
	makeInput(t, filepath.Join(dir, "a.avro"), "flat", 0, 0)
	makeInput(t, filepath.Join(dir, "b.avro"), "flat", 0, 1000)
	makeInput(t, filepath.Join(dir, "c.avro"), "flat", 0, 0)
	o = Options{Inputs: []string{dir}, Output: filepath.Join(dir, "out"), SplitSize: units.KiB}
	o.Hadoop.Partitions = 8
	if r, err = onSimulated(t, o, simulated{}); err != nil || r.Counters.Rows != 1000 {
		t.Fatalf("%+v: %v", r, err)
	}
	for _, f := range r.Outputs {
		if f.Rows == 0 {
			t.Errorf("%s has no rows", f.Path)
		}
	}
}
