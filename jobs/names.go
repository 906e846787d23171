package jobs

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// Names within an output folder. Readers of a folder skip what starts with an
// underscore or a dot.
const (
	successName = "_SUCCESS"
	tempName    = "_temporary"
	journalName = "journal"
	lockName    = ".avro2trevni.lock"
)

// Beside an output that is one file, NAME.trv, stand while a job runs its lock,
// .NAME.trv.lock, and its folder, .NAME.trv.<16 hex digits>.tmp.
const (
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

var (
	partPattern = regexp.MustCompile(`^part-[0-9]{5,}\.trv$`)
	runPattern  = regexp.MustCompile(`^run-[0-9a-f]{16}(\.[0-9a-f]{16})?$`) // the latter if it was taken over
	hexPattern  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// partName returns the name of output file i, from 0.
func partName(i int) string { return fmt.Sprintf("part-%05d.trv", i) }

// partName returns the name of the job's file i, from 0: behind those that are there.
// Where there are partitions, it has been placed.
func (out *output) partName(i int) string {
	out.mu.Lock()
	defer out.mu.Unlock()
	if name, ok := out.places[i]; ok {
		return name
	}
	return partName(out.first + i)
}

// checkNumber refuses a part file by whose number names would no longer sort as rows do.
func (out *output) checkNumber(name string) error {
	if out.single || partNumber(name) <= lastPart {
		return nil
	}
	return exit.Refused("%s: part files are numbered up to %d: a larger --file-size makes fewer, or begin another output", out.name, lastPart)
}

// staged returns where a file is, that will have a name in the output, or be it, until it
// is published.
func (out *output) staged(name string) string {
	if out.single {
		name = storage.Base(name)
	}
	return storage.Join(out.temp, name)
}

// ours reports whether a name in an output folder is one that a job publishes.
func ours(name string) bool { return name == successName || partPattern.MatchString(name) }

// random returns 16 hexadecimal digits that nobody can foresee.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// singleTemp returns the name of a folder beside an output that is one file.
func singleTemp(output string) string {
	return storage.Join(storage.Dir(output), hiddenName(output)+"."+random()+tempSuffix)
}

// hiddenName returns what the names begin with that stand beside an output that is one file.
// A long one is cut, for a name has 255 bytes at the most, and told by its digest.
func hiddenName(output string) string {
	const most, kept = 255 - len(".") - len(".0123456789abcdef") - len(tempSuffix), 200
	base := storage.Base(output)
	if len(base) > most {
		base = fmt.Sprintf("%s-%016x", strings.ToValidUTF8(base[:kept], ""), xxhash.Sum64String(base))
	}
	return "." + base
}

// isSingleTemp reports whether a name is one of [singleTemp] for the output.
func isSingleTemp(output, name string) bool {
	rest, ok := strings.CutPrefix(name, hiddenName(output)+".")
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, tempSuffix)
	return ok && hexPattern.MatchString(digits)
}
