package s3

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3/s3test"
)

// stage writes a file in pieces, and returns its ticket.
func stage(f *FS, name string, data []byte, how storage.Staging) (t storage.Ticket, err error) {
	w, err := f.Stage(name, how)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for p := range slices.Chunk(data, max(1, len(data)/3)) {
		if _, err := w.Write(p); err != nil {
			return w.Ticket(), err
		}
	}
	err = w.Sync()
	return w.Ticket(), err
}

// mustStage is stage that must succeed.
func mustStage(t *testing.T, f *FS, name, data, tag string) storage.Ticket {
	t.Helper()
	ticket, err := stage(f, name, []byte(data), storage.Staging{Size: int64(len(data)), Tag: tag})
	must(t, err)
	return ticket
}

// content returns what an object holds, "-" if there is none.
func content(t *testing.T, f *FS, name string) string {
	t.Helper()
	data, _, err := f.Load(name, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	must(t, err)
	return string(data)
}

func pending(t *testing.T, f *FS, name string) (names []string) {
	t.Helper()
	must(t, f.Pending(name, func(p storage.Ticket) error {
		names = append(names, p.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

func TestStage(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		const name = "s3://bucket/out/part-0"
		a := mustStage(t, f, name, "first", "a1")
		if got := content(t, f, name); got != "-" {
			t.Errorf("before it is published: %q", got)
		}
		other := mustStage(t, f, "s3://bucket/outer/part-0", "x", "o1")
		if got := pending(t, f, "s3://bucket/out"); !slices.Equal(got, []string{name}) {
			t.Errorf("pending below the folder: %q", got)
		}
		if got := pending(t, f, name); !slices.Equal(got, []string{name}) {
			t.Errorf("pending of the name: %q", got)
		}
		b, c := mustStage(t, f, name, "second", "b1"), mustStage(t, f, name, "third", "c1")
		for range 2 { // by anyone, as often as they like
			must(t, f.Publish(a, storage.None))
		}
		if got := content(t, f, name); got != "first" {
			t.Errorf("published %q", got)
		}
		wantIs(t, "publish where a file is", f.Publish(b, storage.None), storage.ErrChanged)
		wantIs(t, "publish over another version", f.Publish(b, `"0123456789abcdef0123456789abcdef"`), storage.ErrChanged)
		i, err := f.Stat(name)
		must(t, err)
		must(t, f.Publish(b, storage.VersionOf(i)))
		if got := content(t, f, name); got != "second" {
			t.Errorf("replaced by %q", got)
		}
		wantIs(t, "publish again what was replaced", f.Publish(a, storage.None), storage.ErrChanged)
		must(t, f.Publish(c, storage.Any))
		if got := content(t, f, name); got != "third" {
			t.Errorf("replaced by %q", got)
		}
		must(t, f.Retract(b)) // another's stays
		must(t, f.Withdraw(c))
		if got := content(t, f, name); got != "third" {
			t.Errorf("another's retract, or withdraw: %q", got)
		}
		for range 2 {
			must(t, f.Retract(c))
		}
		if got := content(t, f, name); got != "-" {
			t.Errorf("retracted: %q", got)
		}
		wantIs(t, "publish what was published and retracted", f.Publish(c, storage.None), storage.ErrGone)
		must(t, f.Withdraw(other))
		if got := pending(t, f, "s3://bucket"); len(got) > 0 {
			t.Errorf("pending at the end: %q", got)
		}
	})
}

func TestWithdraw(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		const name = "s3://bucket/a"
		a := mustStage(t, f, name, "a", "a1")
		for range 2 {
			must(t, f.Withdraw(storage.Ticket{Name: name, Upload: a.Upload}))
		}
		wantIs(t, "publish what was withdrawn", f.Publish(a, storage.None), storage.ErrGone)
		b, c := mustStage(t, f, name, "b", "b1"), mustStage(t, f, name, "c", "c1")
		must(t, f.Publish(b, storage.None))
		must(t, f.Withdraw(c))
		// versitygw answers this one with 200, and does nothing.
		wantIs(t, "publish what was withdrawn, where a file is", f.Publish(c, storage.Any), storage.ErrChanged)
		if got := content(t, f, name); got != "b" {
			t.Errorf("there is %q", got)
		}
	})
}

// Files of all lengths around a part's, with any number of buffers, of a known size or not.
func TestStageLengths(t *testing.T) {
	f, s := memory(t, Options{PartSize: 100})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 99, 100, 101, 199, 200, 201, 999, 1000, 1001} {
		for _, how := range []storage.Staging{{Memory: 1}, {Memory: 200, Size: int64(n)}, {}} {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(rng.Uint32())
			}
			how.Tag = "t" + strconv.Itoa(n)
			ticket, err := stage(f, "s3://bucket/a", data, how)
			must(t, err)
			must(t, f.Publish(ticket, storage.Any))
			if got, _ := s.Get("bucket/a"); !bytes.Equal(got, data) {
				t.Fatalf("%d bytes, %+v: %d others", n, how, len(got))
			}
			if !strings.HasPrefix(ticket.Sum, "crc64nvme:") || ticket.Size != int64(n) || len(ticket.Parts) != max(1, (n+99)/100) {
				t.Errorf("%d bytes: %+v", n, ticket)
			}
		}
	}
}

// More than one part, to a server of others.
func TestStageParts(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		data := bytes.Repeat([]byte("0123456789abcde\n"), (11<<20)/16)
		ticket, err := stage(f, "s3://bucket/a", data, storage.Staging{Size: int64(len(data)), Tag: "t"})
		must(t, err)
		must(t, f.Publish(ticket, storage.None))
		if got := content(t, f, "s3://bucket/a"); got != string(data) {
			t.Errorf("%d bytes, other ones", len(got))
		}
	})
}

// A service that does not know a checksum gets another, or none.
func TestOtherChecksums(t *testing.T) {
	for _, test := range []struct {
		no   []string
		want string
	}{{[]string{"crc64nvme"}, "crc32c:"}, {[]string{"crc64nvme", "crc32c"}, ""}} {
		f, s := memory(t, Options{})
		s.NoSums = test.no
		data := bytes.Repeat([]byte("x"), 250)
		ticket, err := stage(f, "s3://bucket/a", data, storage.Staging{Tag: "t"})
		must(t, err)
		if got, _, _ := strings.Cut(ticket.Sum, ":"); got != strings.TrimSuffix(test.want, ":") {
			t.Errorf("without %v: %q", test.no, ticket.Sum)
		}
		must(t, f.Publish(ticket, storage.None))
		_, err = f.Swap("s3://bucket/b", storage.None, data)
		must(t, err)
	}
	f, s := memory(t, Options{})
	s.NoSums = []string{"crc64nvme"}
	_, err := f.Swap("s3://bucket/b", storage.None, []byte("small objects too"))
	must(t, err)
}

// The checksum of two texts follows from theirs.
func TestJoinSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		data := make([]byte, rng.IntN(3000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		at := rng.IntN(len(data) + 1)
		for i := range algorithms[:2] {
			a := &algorithms[i]
			if got := a.join(a.sum(data[:at]), a.sum(data[at:]), int64(len(data)-at)); got != a.sum(data) {
				t.Fatalf("%s: %d and %d bytes: %x, want %x", a.name, at, len(data)-at, got, a.sum(data))
			}
		}
	}
	// Check values of the catalogue of CRCs.
	if got := crc64.Checksum([]byte("123456789"), nvme); got != 0xae8b14860a799888 {
		t.Errorf("CRC-64/NVME: %x", got)
	}
	if got := crc32.Checksum([]byte("123456789"), castagnoli); got != 0xe3069283 {
		t.Errorf("CRC-32C: %x", got)
	}
}

func TestPartSize(t *testing.T) {
	f := &FS{part: leastPart}
	for _, test := range []struct{ size, want int64 }{
		{0, 8 << 20}, {1, 8 << 20}, {80 << 30, 9 << 20}, {mostParts * leastPart, 8 << 20}, {mostParts*leastPart + 1, 9 << 20}, {5 << 40, 525 << 20},
	} {
		if got := f.PartSize(test.size); got != test.want || got*mostParts < test.size {
			t.Errorf("%d: parts of %d, want %d", test.size, got, test.want)
		}
	}
}

// faults are what may go wrong with a request and be well in the end.
var faults = map[string]s3test.Fault{
	"lost": {Lost: true}, "no connection": {Before: true}, "503": {Status: 503}, "409": {Status: 409}, "500": {Status: 500}, "reset": {Reset: true},
	"stall": {Stall: true},
}

// Whatever goes wrong with any one request of a publication, it is made.
func TestFaultsOfPublication(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 35)
	publication := func(f *FS) error {
		ticket, err := stage(f, "s3://bucket/a", data, storage.Staging{Tag: "t", Memory: 1})
		if err != nil {
			return err
		}
		v, err := f.Swap("s3://bucket/lock", storage.None, []byte("1"))
		if err != nil {
			return err
		}
		if _, err = f.Swap("s3://bucket/lock", v, []byte("2")); err != nil {
			return err
		}
		old := another(f)
		return errors.Join(old, f.Publish(ticket, storage.None))
	}
	for name, fault := range faults {
		for _, repeats := range []bool{false, true} {
			calls := 1
			for k := 0; k <= calls; k++ {
				o := Options{}
				if fault.Stall {
					o.Stall = 100 * time.Millisecond
				}
				f, s := memory(t, o)
				s.Repeats = repeats
				s.On = func(n int, r *http.Request) *s3test.Fault {
					if n == k {
						return &fault
					}
					return nil
				}
				if err := publication(f); err != nil {
					t.Errorf("%s at request %d: %v; %v", name, k, err, s.Requests())
				}
				if k == 0 {
					calls = len(s.Requests())
				}
				a, _ := s.Get("bucket/a")
				lock, _ := s.Get("bucket/lock")
				if !bytes.Equal(a, data) || string(lock) != "2" || len(s.Names()) != 2 {
					t.Errorf("%s at request %d: %v, lock %q", name, k, s.Names(), lock)
				}
				// An upload whose name was lost with the answer is found by listing.
				must(t, f.Pending("s3://bucket", f.Withdraw))
				if p := s.Pending(); len(p) > 0 {
					t.Errorf("%s at request %d: pending %v", name, k, p)
				}
			}
			if calls < 15 {
				t.Fatalf("%d requests", calls)
			}
		}
	}
}

// another stages, publishes, retracts and withdraws another file.
func another(f *FS) error {
	ticket, err := stage(f, "s3://bucket/b", []byte("b"), storage.Staging{Tag: "b"})
	if err != nil {
		return err
	}
	return errors.Join(f.Publish(ticket, storage.None), f.Retract(ticket), f.Withdraw(ticket), f.Delete("s3://bucket/none", storage.Any))
}

// After a service that stays away, nothing is known, and the same calls may be made again.
func TestUnknownOutcome(t *testing.T) {
	f, s := memory(t, Options{Patience: time.Millisecond})
	ticket := mustStage(t, f, "s3://bucket/a", "hello", "t")
	s.Set(func(s *s3test.Server) {
		s.On = func(int, *http.Request) *s3test.Fault { return &s3test.Fault{Lost: true} }
	})
	wantIs(t, "publish", f.Publish(ticket, storage.None), storage.ErrUnavailable)
	_, err := f.Swap("s3://bucket/lock", storage.None, []byte("mine"))
	wantIs(t, "swap", err, storage.ErrUnavailable)
	s.Set(func(s *s3test.Server) { s.On = nil })
	must(t, f.Publish(ticket, storage.None))
	_, err = f.Swap("s3://bucket/lock", storage.None, []byte("mine"))
	must(t, err)
}

// What the service holds must be what was sent.
func TestPublishedIsCompared(t *testing.T) {
	f, _ := memory(t, Options{})
	ticket := mustStage(t, f, "s3://bucket/a", "hello", "t")
	must(t, f.Publish(ticket, storage.None))
	for _, wrong := range []func(*storage.Ticket){
		func(t *storage.Ticket) { t.Size++ },
		func(t *storage.Ticket) { t.Sum = "crc64nvme:AAAAAAAAAAA=" },
	} {
		other := ticket
		wrong(&other)
		wantIs(t, "publish", f.Publish(other, storage.None), storage.ErrLost)
	}
}

func TestSwap(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		const name = "s3://bucket/.lock"
		_, _, err := f.Load(name, 100)
		wantIs(t, "load of nothing", err, fs.ErrNotExist)
		_, err = f.Swap(name, `"0123456789abcdef0123456789abcdef"`, []byte("x"))
		wantIs(t, "swap of nothing", err, storage.ErrChanged)
		first, err := f.Swap(name, storage.None, []byte("first"))
		must(t, err)
		_, err = f.Swap(name, storage.None, []byte("other"))
		wantIs(t, "second first swap", err, storage.ErrChanged)
		second, err := f.Swap(name, first, []byte("second"))
		must(t, err)
		_, err = f.Swap(name, first, []byte("other"))
		wantIs(t, "swap of an old version", err, storage.ErrChanged)
		data, v, err := f.Load(name, 6)
		if err != nil || string(data) != "second" || v != second {
			t.Errorf("loaded %q, %s, %v; want %s", data, v, err, second)
		}
		if _, _, err := f.Load(name, 5); err == nil {
			t.Error("an object past the limit was loaded")
		}
		wantIs(t, "delete of an old version", f.Delete(name, first), storage.ErrChanged)
		must(t, f.Delete(name, second))
		must(t, f.Delete(name, second))
		must(t, f.Delete(name, storage.Any))
		if got := content(t, f, name); got != "-" {
			t.Errorf("deleted: %q", got)
		}
	})
}

// No update is lost that several make at the same time.
func TestSwapIsExclusive(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		const workers, rounds = 8, 10
		var wait sync.WaitGroup
		var done sync.Map
		for w := range workers {
			wait.Go(func() {
				for i := range rounds {
					text, old, err := f.Load("s3://bucket/n", 1<<20)
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
						return
					}
					line := fmt.Sprintf("%d-%d\n", w, i)
					switch _, err := f.Swap("s3://bucket/n", old, append(text, line...)); {
					case err == nil:
						done.Store(line, true)
					case !errors.Is(err, storage.ErrChanged):
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
		want := map[string]bool{}
		done.Range(func(line, _ any) bool {
			want[line.(string)] = true
			return true
		})
		got := map[string]bool{}
		for line := range strings.Lines(content(t, f, "s3://bucket/n")) {
			got[line] = true
		}
		if !maps.Equal(got, want) || len(want) == 0 {
			t.Errorf("%d updates are there, %d were made", len(got), len(want))
		}
	})
}

// Of many that publish under one name, one does.
func TestPublishIsExclusive(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		tickets := make([]storage.Ticket, 8)
		for i := range tickets {
			tickets[i] = mustStage(t, f, "s3://bucket/a", fmt.Sprint(i), fmt.Sprint("tag", i))
		}
		var wait sync.WaitGroup
		errs := make([]error, len(tickets))
		for i, ticket := range tickets {
			wait.Go(func() { errs[i] = f.Publish(ticket, storage.None) })
		}
		wait.Wait()
		won := slices.Index(errs, nil)
		for i, err := range errs {
			if i != won && !errors.Is(err, storage.ErrChanged) {
				t.Errorf("%d won, and %d: %v", won, i, err)
			}
		}
		if got := content(t, f, "s3://bucket/a"); won < 0 || got != fmt.Sprint(won) {
			t.Errorf("%d won, and there is %q", won, got)
		}
	})
}

func TestCreate(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		const name = "s3://bucket/report.json"
		must(t, storage.WriteFile(t.Context(), f, name, []byte("hello")))
		if got, err := storage.ReadFile(f, name, 5); err != nil || string(got) != "hello" {
			t.Errorf("%q, %v", got, err)
		}
		_, err := f.Create(name, 0)
		wantIs(t, "create again", err, fs.ErrExist)
		w, err := f.Create("s3://bucket/b", 0)
		must(t, err)
		_, err = w.Write([]byte("x"))
		must(t, err)
		put(t, f, "b", "another's")
		wantIs(t, "sync after another's", w.Sync(), fs.ErrExist)
		must(t, w.Close())
		w, err = f.Create("s3://bucket/c", 0)
		must(t, err)
		must(t, w.Close())
		if got := content(t, f, "s3://bucket/c"); got != "-" {
			t.Errorf("closed without sync: %q", got)
		}
		if p := pending(t, f, "s3://bucket"); len(p) > 0 {
			t.Errorf("pending: %v", p)
		}
	})
}

// A part that cannot be sent fails the file, for good.
func TestFailedPart(t *testing.T) {
	f, s := memory(t, Options{Patience: time.Millisecond})
	w, err := f.Stage("s3://bucket/a", storage.Staging{Tag: "t"})
	must(t, err)
	s.Set(func(s *s3test.Server) {
		s.On = func(_ int, r *http.Request) *s3test.Fault {
			if s3test.Op(r) == "UploadPart" {
				return &s3test.Fault{Status: 503}
			}
			return nil
		}
	})
	_, err = w.Write(make([]byte, 2000))
	wantIs(t, "write", errors.Join(err, w.Sync()), storage.ErrUnavailable)
	if err := w.Sync(); err == nil {
		t.Error("sync after a failure")
	}
	must(t, w.Close())
	must(t, w.Close())
	must(t, f.Withdraw(w.Ticket()))
	s.Set(func(s *s3test.Server) { s.On = nil })
	w, err = f.Stage("s3://bucket/a", storage.Staging{Tag: "t"})
	must(t, err)
	must(t, f.Withdraw(w.Ticket()))
	_, err = w.Write([]byte("x"))
	wantIs(t, "write to what was withdrawn", errors.Join(err, w.Sync()), storage.ErrGone)
	must(t, w.Close())
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("write after Close")
	}
}
