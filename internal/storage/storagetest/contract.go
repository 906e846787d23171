package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/storage"
)

// Contract tests that object storage keeps what [storage.Stager], [storage.Swapper] and
// [storage.Lister] promise. It writes below dir, which must be empty, and leaves it empty.
func Contract(t *testing.T, o storage.Objects, dir string) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, storage.Objects, string)
	}{
		{"swap", contractSwap},
		{"stage", contractStage},
		{"replace", contractReplace},
		{"withdraw", contractWithdraw},
		{"retract", contractRetract},
		{"parts", contractParts},
		{"list", contractList},
	} {
		t.Run(test.name, func(t *testing.T) {
			below := storage.Join(dir, test.name)
			test.run(t, o, below)
			if err := o.List(below, func(name string, _ fs.FileInfo) error { return o.Delete(storage.Join(below, name), storage.Any) }); err != nil {
				t.Error(err)
			}
		})
	}
}

func want(t *testing.T, what string, err, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) || wanted == nil && err != nil {
		t.Errorf("%s: %v, want %v", what, err, wanted)
	}
}

func contractSwap(t *testing.T, o storage.Objects, dir string) {
	name := storage.Join(dir, "a")
	_, _, err := o.Load(name, 10)
	want(t, "load nothing", err, fs.ErrNotExist)
	want(t, "delete nothing", o.Delete(name, storage.Any), nil)
	_, err = o.Swap(name, `"0123456789abcdef0123456789abcdef"`, []byte("x"))
	want(t, "replace nothing", err, storage.ErrChanged)
	one, err := o.Swap(name, storage.None, []byte("one"))
	want(t, "create", err, nil)
	_, err = o.Swap(name, storage.None, []byte("other"))
	want(t, "create again", err, storage.ErrChanged)
	two, err := o.Swap(name, one, []byte("two"))
	want(t, "replace", err, nil)
	_, err = o.Swap(name, one, []byte("three"))
	want(t, "replace an old version", err, storage.ErrChanged)
	want(t, "delete an old version", o.Delete(name, one), storage.ErrChanged)
	data, v, err := o.Load(name, 3)
	want(t, "load", err, nil)
	if string(data) != "two" || v != two || v == one {
		t.Errorf("%q, %s; want two, %s", data, v, two)
	}
	if _, _, err := o.Load(name, 2); err == nil {
		t.Error("loaded more than the limit")
	}
	_, err = o.Swap(name, storage.Any, []byte("any"))
	want(t, "replace any version", err, nil)
	want(t, "delete any version", o.Delete(name, storage.Any), nil)
	_, _, err = o.Load(name, 10)
	want(t, "load what was deleted", err, fs.ErrNotExist)
}

// stage stages a file, and returns its whole ticket.
func stage(t *testing.T, o storage.Objects, name, tag string, data []byte) storage.Ticket {
	t.Helper()
	s, err := o.Stage(name, storage.Staging{Size: int64(len(data)), Tag: tag})
	if err != nil {
		t.Fatal(err)
	}
	if early := s.Ticket(); early.Name != name || early.Upload == "" || early.Tag != tag {
		t.Errorf("the ticket before the first byte: %+v", early)
	}
	for half := range slices.Chunk(data, max(1, len(data)/2)) {
		if _, err := s.Write(half); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "sync", s.Sync(), nil)
	want(t, "close", s.Close(), nil)
	want(t, "close again", s.Close(), nil)
	if k := s.Ticket(); k.Size != int64(len(data)) {
		t.Errorf("the ticket of %d bytes: %+v", len(data), k)
	}
	return s.Ticket()
}

// holds checks what stands under a name; "-" for nothing.
func holds(t *testing.T, o storage.Objects, name, wanted string) {
	t.Helper()
	data, _, err := o.Load(name, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("-"), nil
	}
	if err != nil || string(data) != wanted {
		t.Errorf("%s holds %.40q (%d bytes), %v; want %.40q", name, data, len(data), err, wanted)
	}
}

func pending(t *testing.T, o storage.Objects, name string) (all []string) {
	t.Helper()
	want(t, "pending", o.Pending(name, func(k storage.Ticket) error {
		all = append(all, k.Name)
		return nil
	}), nil)
	slices.Sort(all)
	return all
}

func contractStage(t *testing.T, o storage.Objects, dir string) {
	name := storage.Join(dir, "k=a b+c%/part-00000.trv")
	first := stage(t, o, name, "first", []byte("first"))
	second := stage(t, o, name, "second", []byte("second"))
	holds(t, o, name, "-")
	if got := pending(t, o, dir); !slices.Equal(got, []string{name, name}) {
		t.Errorf("pending below the folder: %v", got)
	}
	if got := pending(t, o, name); len(got) != 2 {
		t.Errorf("pending of the name: %v", got)
	}
	want(t, "publish", o.Publish(first, storage.None), nil)
	holds(t, o, name, "first")
	want(t, "publish again", o.Publish(first, storage.None), nil)
	want(t, "publish another", o.Publish(second, storage.None), storage.ErrChanged)
	holds(t, o, name, "first")
	want(t, "withdraw what is published", o.Withdraw(first), nil)
	holds(t, o, name, "first")
	want(t, "withdraw", o.Withdraw(second), nil)
	want(t, "withdraw again", o.Withdraw(second), nil)
	want(t, "publish another that is withdrawn", o.Publish(second, storage.None), storage.ErrChanged)
	if got := pending(t, o, dir); len(got) > 0 {
		t.Errorf("pending at the end: %v", got)
	}
}

func contractReplace(t *testing.T, o storage.Objects, dir string) {
	name := storage.Join(dir, "out.trv")
	first := stage(t, o, name, "first", []byte("first"))
	want(t, "publish", o.Publish(first, storage.None), nil)
	info, err := o.Stat(name)
	want(t, "stat", err, nil)
	second := stage(t, o, name, "second", []byte("second"))
	third := stage(t, o, name, "third", []byte("third"))
	want(t, "replace", o.Publish(second, storage.VersionOf(info)), nil)
	holds(t, o, name, "second")
	want(t, "replace again", o.Publish(second, storage.VersionOf(info)), nil)
	want(t, "replace an old version", o.Publish(third, storage.VersionOf(info)), storage.ErrChanged)
	holds(t, o, name, "second")
	want(t, "replace any version", o.Publish(third, storage.Any), nil)
	holds(t, o, name, "third")
	fourth := stage(t, o, name, "fourth", []byte("fourth"))
	want(t, "delete", o.Delete(name, storage.Any), nil)
	want(t, "replace nothing", o.Publish(fourth, storage.VersionOf(info)), storage.ErrChanged)
	want(t, "withdraw", o.Withdraw(fourth), nil)
}

func contractWithdraw(t *testing.T, o storage.Objects, dir string) {
	name := storage.Join(dir, "part-00001.trv")
	k := stage(t, o, name, "tag", []byte("data"))
	want(t, "withdraw", o.Withdraw(storage.Ticket{Name: k.Name, Upload: k.Upload}), nil)
	want(t, "publish", o.Publish(k, storage.None), storage.ErrGone)
	holds(t, o, name, "-")
	s, err := o.Stage(name, storage.Staging{Tag: "other"})
	want(t, "stage", err, nil)
	if err != nil {
		return
	}
	want(t, "withdraw what has no part", o.Withdraw(s.Ticket()), nil)
	_, err = s.Write([]byte("late"))
	want(t, "write and sync after it", errors.Join(err, s.Sync(), s.Close()), storage.ErrGone)
}

func contractRetract(t *testing.T, o storage.Objects, dir string) {
	name := storage.Join(dir, "part-00001.trv")
	ours, other := stage(t, o, name, "ours", []byte("ours")), storage.Ticket{Name: name, Upload: "none", Tag: "other"}
	want(t, "retract what is not published", o.Retract(ours), nil)
	want(t, "publish", o.Publish(ours, storage.None), nil)
	want(t, "retract another's", o.Retract(other), nil)
	holds(t, o, name, "ours")
	want(t, "retract", o.Retract(storage.Ticket{Name: name, Tag: "ours"}), nil)
	holds(t, o, name, "-")
	want(t, "publish what was retracted", o.Publish(ours, storage.None), storage.ErrGone)
}

func contractParts(t *testing.T, o storage.Objects, dir string) {
	size := o.PartSize(0)
	for i, n := range []int64{0, 1, size, size + 1, 2*size + 5} {
		data := bytes.Repeat([]byte("0123456"), int(n/7+1))[:n]
		k := stage(t, o, storage.Join(dir, fmt.Sprintf("part-%05d.trv", i)), fmt.Sprintf("tag%d", i), data)
		want(t, "publish", o.Publish(k, storage.None), nil)
		holds(t, o, k.Name, string(data))
		if most := int(n/size) + 1; len(k.Parts) < 1 || len(k.Parts) > most {
			t.Errorf("%d bytes are %d parts of %d", n, len(k.Parts), size)
		}
	}
}

func contractList(t *testing.T, o storage.Objects, dir string) {
	names := []string{"_SUCCESS", "a=1/part-00000.trv", "a=2/part-00000.trv", "b", "c/d/e"}
	for _, name := range names {
		_, err := o.Swap(storage.Join(dir, name), storage.None, []byte(name))
		want(t, "make "+name, err, nil)
	}
	_, err := o.Swap(dir+"-not", storage.None, []byte("not below"))
	want(t, "make a neighbour", err, nil)
	var got []string
	want(t, "list", o.List(dir, func(below string, info fs.FileInfo) error {
		got = append(got, below)
		if below != names[0] && !strings.HasSuffix(below, info.Name()) || info.Size() != int64(len(below)) || info.IsDir() {
			t.Errorf("%s: %s of %d bytes", below, info.Name(), info.Size())
		}
		_, v, err := o.Load(storage.Join(dir, below), 100)
		if err != nil || v != storage.VersionOf(info) || v == storage.None {
			t.Errorf("%s: the listing has version %s, it is %s, %v", below, storage.VersionOf(info), v, err)
		}
		return nil
	}), nil)
	if !slices.Equal(got, names) {
		t.Errorf("listed %v, want %v", got, names)
	}
	stop := errors.New("stop")
	want(t, "a listing that ends", o.List(dir, func(string, fs.FileInfo) error { return stop }), stop)
	want(t, "list nothing", o.List(storage.Join(dir, "none"), func(string, fs.FileInfo) error { return stop }), nil)
	want(t, "delete the neighbour", o.Delete(dir+"-not", storage.Any), nil)
}
