package reader

import (
	"fmt"
	"hash/crc32"
	"io"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/format"
)

// A Decoder decodes the pages of one leaf, one after the other, from their bytes. [Column] uses
// it, and a program that has pages without a footer can. It has state: one goroutine at a time.
type Decoder struct {
	leaf  *Node
	codec Codec
	opt   Options

	dict      dictionary
	hasDict   bool
	raw       []byte // a page after decompression
	unpack    decompressor
	out       output
	repLevels levelDecoder
	defLevels levelDecoder

	inPage   bool // a page was begun, and not ended
	entries  int  // of the page, whose levels are still to be decoded
	noValues bool // values are not decoded
	rep, def []byte
	lo, hi   int // levels that are decoded and in no batch yet

	values valueDecoder
	plainFixed
	plainBits
	plainBytes
	runBits
	split
	indexed
	deltaInts
	deltaLengths
	deltaBytes
}

// NewDecoder returns a decoder of pages of the leaf that were compressed with the codec.
func NewDecoder(leaf *Node, codec Codec, o *Options) (*Decoder, error) {
	opt := o.withDefaults()
	if err := opt.validate(); err != nil {
		return nil, err
	}
	d := &Decoder{leaf: leaf, codec: codec, opt: opt}
	d.out.limit = opt.BatchBytes
	return d, nil
}

// Page begins to decode a page, whose stored body is given: the next calls of [Decoder.Next]
// return its entries. After a dictionary page there are none: it is what the following pages
// refer to. Pages of other kinds are passed over. The body is not kept after the next call of
// Page, nor written to.
func (d *Decoder) Page(h *PageHeader, body []byte) error {
	d.inPage, d.entries, d.lo, d.hi = false, 0, 0, 0
	if len(body) != h.Stored {
		return corruptf("%d bytes, where the header says %d", len(body), h.Stored)
	}
	if sum := crc32.ChecksumIEEE(body); h.Checked && !d.opt.IgnoreChecksums && sum != h.CRC {
		return corruptf("checksum is %08x, where the header says %08x", sum, h.CRC)
	}
	switch h.Kind {
	case DataPage:
		return d.page(h, body)
	case DataPageV2:
		return d.pageV2(h, body)
	case DictionaryPage:
		return d.dictionary(h, body)
	}
	return nil
}

// Next returns the page's next entries in b, and [io.EOF] after the last. A batch's memory is
// used again by the next call.
func (d *Decoder) Next(b *Batch) error {
	*b = Batch{}
	if d.lo == d.hi {
		if d.entries == 0 {
			return d.end()
		}
		if err := d.levels(); err != nil {
			return err
		}
	}
	n, values := d.hi-d.lo, d.hi-d.lo
	if d.leaf.MaxDef > 0 {
		values = count(d.def[d.lo:d.hi], byte(d.leaf.MaxDef))
	}
	d.out.begin(d.leaf.Width())
	if values > 0 && !d.noValues {
		if err := d.values.decode(&d.out, values); err != nil {
			return err
		}
		if d.out.N < values {
			n = d.cut(d.out.N)
		}
	}
	b.N, b.Values = n, d.out.Values
	if d.leaf.MaxRep > 0 {
		b.Rep = d.rep[d.lo : d.lo+n]
	}
	if d.leaf.MaxDef > 0 {
		b.Def = d.def[d.lo : d.lo+n]
	}
	d.lo += n
	return nil
}

// end returns io.EOF if nothing of the page is left over. Where the schema or a header was
// changed, so that they do not fit the page any more, something often is.
func (d *Decoder) end() error {
	if !d.inPage {
		return io.EOF
	}
	d.inPage = false
	if n := d.repLevels.rest() + d.defLevels.rest(); n > 0 {
		return corruptf("%d bytes after the levels", n)
	}
	if d.noValues {
		return io.EOF
	}
	if n := d.values.rest(); n > 0 {
		return corruptf("%d bytes after the values", n)
	}
	return io.EOF
}

// cut returns how many entries there are up to the last with so many values.
func (d *Decoder) cut(values int) int {
	if d.leaf.MaxDef == 0 {
		return values
	}
	for i, level := range d.def[d.lo:d.hi] {
		if level == byte(d.leaf.MaxDef) {
			if values == 0 {
				return i
			}
			values--
		}
	}
	return d.hi - d.lo
}

// levels decodes the levels of the next entries.
func (d *Decoder) levels() error {
	n := min(d.entries, d.opt.BatchEntries)
	if d.leaf.MaxRep > 0 {
		d.rep = sized(d.rep, n)
		if err := d.repLevels.next(d.rep); err != nil {
			return fmt.Errorf("repetition levels: %w", err)
		}
	}
	if d.leaf.MaxDef > 0 {
		d.def = sized(d.def, n)
		if err := d.defLevels.next(d.def); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
	}
	d.entries -= n
	d.lo, d.hi = 0, n
	return nil
}

// page begins a page of version 1, which is compressed as a whole.
func (d *Decoder) page(h *PageHeader, body []byte) error {
	src, err := d.decompress(&d.raw, body, h.Raw, true)
	if err != nil {
		return err
	}
	if src, err = d.repLevels.init(src, d.leaf.MaxRep, format.Encoding(h.RepEncoding), h.Entries); err != nil {
		return fmt.Errorf("repetition levels: %w", err)
	}
	if src, err = d.defLevels.init(src, d.leaf.MaxDef, format.Encoding(h.DefEncoding), h.Entries); err != nil {
		return fmt.Errorf("definition levels: %w", err)
	}
	return d.begin(h, src)
}

// pageV2 begins a page of version 2, whose levels are not compressed.
func (d *Decoder) pageV2(h *PageHeader, body []byte) error {
	levels := h.RepBytes + h.DefBytes
	d.levelsV2(h, body)
	src, err := d.decompress(&d.raw, body[levels:], h.Raw-levels, h.Compressed)
	if err != nil {
		return err
	}
	return d.begin(h, src)
}

// levelsAlone begins a page whose values are not wanted, by the front of its body: the levels.
func (d *Decoder) levelsAlone(h *PageHeader, levels []byte) {
	d.levelsV2(h, levels)
	d.inPage, d.entries, d.lo, d.hi = true, h.Entries, 0, 0
}

func (d *Decoder) levelsV2(h *PageHeader, body []byte) {
	d.repLevels.initV2(body[:h.RepBytes], d.leaf.MaxRep)
	d.defLevels.initV2(body[h.RepBytes:][:h.DefBytes], d.leaf.MaxDef)
}

// decompress returns src, which becomes n bytes. They are in the memory if they have to be made.
func (d *Decoder) decompress(memory *[]byte, src []byte, n int, compressed bool) ([]byte, error) {
	if len(src) == 0 && n == 0 {
		return nil, nil
	}
	codec := d.codec
	if !compressed {
		codec = Uncompressed
	}
	if codec == Uncompressed {
		if len(src) != n {
			return nil, corruptf("%d bytes, where the header says %d", len(src), n)
		}
		return src, nil
	}
	b, err := d.unpack.decode(codec, *memory, src, n)
	if err == nil {
		*memory = b
	}
	return b, err
}

func (d *Decoder) dictionary(h *PageHeader, body []byte) error {
	if d.hasDict {
		return corruptf("a second dictionary page")
	}
	if e := format.Encoding(h.Encoding); e != format.Plain && e != plainDictionary {
		return unsupportedf("a dictionary in encoding %s", encodingName(e))
	}
	raw, err := d.decompress(&d.raw, body, h.Raw, true)
	if err != nil {
		return err
	}
	if err := d.dict.init(raw, h.Entries, d.leaf); err != nil {
		return err
	}
	d.hasDict = true
	return nil
}

// reset makes the decoder ready for the pages of another chunk.
func (d *Decoder) reset(c *Chunk) {
	d.leaf, d.codec, d.opt = c.Leaf, c.Codec, c.group.file.opt
	d.out.limit = d.opt.BatchBytes
	d.hasDict, d.inPage, d.noValues = false, false, false
	d.entries, d.lo, d.hi = 0, 0, 0
}

// begin begins the values of a page.
func (d *Decoder) begin(h *PageHeader, src []byte) error {
	if !d.noValues {
		if err := d.open(h.Encoding, src); err != nil {
			return err
		}
	}
	d.inPage, d.entries = true, h.Entries
	return nil
}

// open sets the decoder of the page's values.
func (d *Decoder) open(e parquet.Encoding, src []byte) error {
	t, width := d.leaf.Type, d.leaf.Width()
	switch {
	case isIndexed(e):
		if !d.hasDict {
			return corruptf("indexes of a dictionary that is not there")
		}
		d.values = &d.indexed
		return d.indexed.init(src, &d.dict)
	case e == parquet.Plain && t == parquet.Boolean:
		d.plainBits = plainBits{src: src}
		d.values = &d.plainBits
	case e == parquet.Plain && t == parquet.ByteArray:
		d.plainBytes = plainBytes{src: src}
		d.values = &d.plainBytes
	case e == parquet.Plain:
		d.plainFixed = plainFixed{src: src}
		d.values = &d.plainFixed
	case e == parquet.RLE && t == parquet.Boolean:
		d.values = &d.runBits
		return d.runBits.init(src)
	case e == parquet.ByteStreamSplit && width > 1:
		d.values = &d.split
		return d.split.init(src, width)
	case e == parquet.DeltaBinaryPacked && (t == parquet.Int32 || t == parquet.Int64):
		d.values = &d.deltaInts
		return d.deltaInts.deltas.init(src)
	case e == parquet.DeltaLengthByteArray && t == parquet.ByteArray:
		d.values = &d.deltaLengths
		return d.deltaLengths.init(src)
	case e == parquet.DeltaByteArray && (t == parquet.ByteArray || t == parquet.FixedLenByteArray):
		d.values = &d.deltaBytes
		return d.deltaBytes.init(src)
	default:
		return unsupportedf("%s in encoding %s", d.leaf.physical(), encodingName(format.Encoding(e)))
	}
	return nil
}
