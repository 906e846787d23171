package jobs

import (
	"slices"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
)

// Where all new files are damaged a run records them as left out, as it does where one beside
// them is good, and adds nothing; the next run has nothing to do.
func TestAppendOnlyDamaged(t *testing.T) {
	whole, spans := blocksOf(t, "snappy", 10, 20)
	whole[spans[0].from+9]++
	for name, data := range map[string]string{"header": "damaged", "blocks": string(whole)} {
		for _, mode := range []string{CorruptSkipBlock, CorruptSkipFile} {
			t.Run(name+" "+mode, func(t *testing.T) {
				m, o := storagetest.NewMem(), Options{OnCorrupt: mode, Index: []string{"id"}}
				m.Write("/in/b.avro", data)
				_, err := addRun(t, m, o)
				wantExit(t, err, exit.StatusFailed, "/in/b.avro") // there is no table to add to
				must(t, m.Remove("/in/b.avro"))
				put(t, m, "/in/a.avro", 0, 10)
				_, err = addRun(t, m, o)
				must(t, err)
				before := m.Files()

				m.Write("/in/b.avro", data)
				none := o
				none.MaxSkipped = "0"
				_, err = addRun(t, m, none)
				wantExit(t, err, exit.StatusFailed, "more is damaged than --max-skipped 0 allows")
				r, err := addRun(t, m, o)
				wantExit(t, err, exit.StatusSome, "damaged input was skipped")
				if a := r.Run.Appended; a.Rows != 0 || a.Files != 0 || len(r.Skipped) != 1 || len(r.Outputs) != 1 {
					t.Errorf("%+v, skipped %+v, outputs %+v", a, r.Skipped, r.Outputs)
				}
				if ids, _ := shown(t, m, "/out"); !slices.Equal(ids, idsFrom(0, 10)) {
					t.Errorf("%v", ids)
				}
				for name, was := range before {
					if now := m.Files()[name]; now != was && name != "/out/_SUCCESS" {
						t.Errorf("%s is another", name)
					}
				}
				r, err = addRun(t, m, o)
				must(t, err)
				if r.Run.Appended.Unchanged != 2 {
					t.Errorf("again: %+v", r.Run.Appended)
				}
				put(t, m, "/in/c.avro", 10, 20)
				_, err = addRun(t, m, o)
				must(t, err)
				if ids, _ := shown(t, m, "/out"); !slices.Equal(ids, idsFrom(0, 20)) {
					t.Errorf("%v", ids)
				}
			})
		}
	}
}
