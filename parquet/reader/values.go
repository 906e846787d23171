package reader

import "encoding/binary"

// A valueDecoder decodes the values of a page.
type valueDecoder interface {
	// decode makes the next values, at most n of them and at least one, and fewer than n only
	// when they take as many bytes as the output has room for. n is at least 1.
	decode(out *output, n int) error
	// rest returns how many bytes are there after the last value.
	rest() int
}

// An output is the memory of a batch's values.
type output struct {
	Values
	limit   int // bytes
	data    []byte
	offsets []uint32
}

// begin empties the output, for values of the width.
func (o *output) begin(width int) {
	o.Values = Values{Width: width, Data: o.data[:0]}
	if width == 0 {
		o.Values.Data = o.data[:0]
		o.Values.Offsets = append(o.offsets[:0], 0)
	}
}

// fixed returns room for values of fixed width, n or as many as fit.
func (o *output) fixed(n int) []byte {
	o.N = o.fits(n)
	size := o.N * o.Width
	if cap(o.data) < size+roomAfter {
		o.data = make([]byte, size+roomAfter)
	}
	o.Data = o.data[:size]
	return o.Data
}

// fits returns how many values of fixed width fit, of n.
func (o *output) fits(n int) int { return min(n, max(1, o.limit/o.Width)) }

// room makes room for n more offsets.
func (o *output) room(n int) {
	if need := len(o.Offsets) + n; cap(o.offsets) < need {
		o.offsets = make([]uint32, need)
		o.Offsets = o.offsets[:copy(o.offsets, o.Offsets)]
	}
}

// grow makes room for n more bytes of byte arrays, and roomAfter. It reports false if they do
// not fit the output any more: a value fits always if it is the first.
func (o *output) grow(n int) bool {
	if len(o.Data)+n > o.limit && o.N > 0 {
		return false
	}
	if need := len(o.Data) + n + roomAfter; cap(o.data) < need {
		o.data = make([]byte, max(need, min(2*cap(o.data), o.limit+roomAfter)))
		o.Data = o.data[:copy(o.data, o.Data)]
	}
	return true
}

// put adds a byte array. It reports false if it does not fit.
func (o *output) put(b []byte) bool {
	if !o.grow(len(b)) {
		return false
	}
	o.Data = append(o.Data, b...)
	o.Offsets = append(o.Offsets, uint32(len(o.Data)))
	o.N++
	return true
}

// errValues reports a page with fewer values than levels.
func errValues() error { return corruptf("fewer values than definition levels") }

// plainFixed decodes PLAIN values of fixed width: a batch is a part of the page.
type plainFixed struct{ src []byte }

func (d *plainFixed) decode(out *output, n int) error {
	n = out.fits(n)
	if size := n * out.Width; size <= len(d.src) {
		out.N, out.Data, d.src = n, d.src[:size:size], d.src[size:]
		return nil
	}
	return errValues()
}

func (d *plainFixed) rest() int { return len(d.src) }

// plainBits decodes PLAIN booleans.
type plainBits struct {
	src []byte
	at  int // bit
}

func (d *plainBits) decode(out *output, n int) error {
	dst := out.fixed(n)
	if d.at+len(dst) > 8*len(d.src) {
		return errValues()
	}
	for len(dst) > 0 && d.at%8 != 0 {
		dst[0] = d.src[d.at/8] >> (d.at % 8) & 1
		dst = dst[1:]
		d.at++
	}
	whole := len(dst) &^ 7
	unpackBytes(dst[:whole], d.src[d.at/8:], 1)
	d.at += whole
	for i := range dst[whole:] {
		dst[whole+i] = d.src[d.at/8] >> (d.at % 8) & 1
		d.at++
	}
	return nil
}

func (d *plainBits) rest() int { return len(d.src) - (d.at+7)/8 }

// runBits decodes booleans as runs.
type runBits struct{ runs hybrid }

func (d *runBits) init(src []byte) error {
	if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) > uint64(len(src)-4) {
		return corruptf("runs of booleans are cut short")
	}
	d.runs.init(src[4:4+binary.LittleEndian.Uint32(src)], 1)
	return nil
}

func (d *runBits) decode(out *output, n int) error { return d.runs.levels(out.fixed(n)) }

func (d *runBits) rest() int { return len(d.runs.src) }

// plainBytes decodes PLAIN byte arrays.
type plainBytes struct{ src []byte }

func (d *plainBytes) decode(out *output, n int) error {
	// The values take no more bytes than the rest of the page has.
	n = min(n, len(d.src)/4)
	if n == 0 {
		return errValues()
	}
	out.room(n)
	out.grow(min(len(d.src), out.limit))
	src, dst := d.src, out.Data[:cap(out.data)]
	at := 0
	for range n {
		if len(src) < 4 {
			return errValues()
		}
		size := int(binary.LittleEndian.Uint32(src))
		if size > len(src)-4 {
			return corruptf("a value of %d bytes, %d before the page's end", size, len(src)-4)
		}
		if at+size+roomAfter > len(dst) || at+size > out.limit {
			out.Data = dst[:at]
			if !out.grow(size) {
				break
			}
			dst = out.Data[:cap(out.data)]
		}
		if size <= 16 && len(src) >= 4+16 {
			*(*[16]byte)(dst[at:]) = *(*[16]byte)(src[4:])
		} else {
			copy(dst[at:], src[4:4+size])
		}
		at += size
		src = src[4+size:]
		out.Offsets = append(out.Offsets, uint32(at))
		out.N++
	}
	out.Data, d.src = dst[:at], src
	return nil
}

func (d *plainBytes) rest() int { return len(d.src) }

// split decodes BYTE_STREAM_SPLIT: the first bytes of all values, then the second, and so on.
type split struct {
	src []byte
	at  int // values taken
	n   int // values in all
}

func (d *split) init(src []byte, width int) error {
	if len(src)%width != 0 {
		return corruptf("%d bytes for values of %d", len(src), width)
	}
	*d = split{src: src, n: len(src) / width}
	return nil
}

func (d *split) decode(out *output, n int) error {
	dst := out.fixed(n)
	n = out.N
	if n > d.n-d.at {
		return errValues()
	}
	switch out.Width {
	case 4:
		a, b, c, e := d.stream(0, n), d.stream(1, n), d.stream(2, n), d.stream(3, n)
		for i := range n {
			v := uint32(a[i]) | uint32(b[i])<<8 | uint32(c[i])<<16 | uint32(e[i])<<24
			binary.LittleEndian.PutUint32(dst[4*i:], v)
		}
	default:
		for j := range out.Width {
			s := d.stream(j, n)
			for i := range s {
				dst[i*out.Width+j] = s[i]
			}
		}
	}
	d.at += n
	return nil
}

func (d *split) rest() int { return (d.n - d.at) * (len(d.src) / max(d.n, 1)) }

// stream returns the bytes j of the next n values.
func (d *split) stream(j, n int) []byte { return d.src[j*d.n+d.at:][:n:n] }
