package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"

	"github.com/klauspost/compress/zstd"

	"perfdata/traceid"
)

// The texts of a row. In a row of a failed file, all but the path and the error are empty.
const (
	textPath = iota
	textError
	textIssue
	textPatchset
	textTrace
	textParams // encoded, as attrs and links are: see appendPairs
	textCommit
	textUnit
	textBetter
	textAttrs
	textLinks
	numTexts
)

// A row is a measurement, or a file that failed.
type row struct {
	Texts     [numTexts]string
	N, Offset int64
	Value     float64
}

// A block is many rows as one element of the pipeline, which Beam passes on as bytes. With an element
// for each row, a run on Prism takes 8 times the memory and 6 times the CPU time.
//
// In a block, a text is its number, and before the first row that has it, the text itself. A block
// is compressed, because files of the same benchmarks have mostly the same texts.
type block struct {
	rows    int
	bytes   []byte
	numbers map[string]uint64
	last    row // its texts have numbers in lastNum
	lastNum [numTexts]uint64
}

// maxBlock is where a block ends, in bytes before the compression.
const maxBlock = 1 << 20

func (b *block) full() bool { return len(b.bytes) >= maxBlock }

func (b *block) add(r *row) {
	if b.numbers == nil {
		b.numbers = map[string]uint64{"": 0}
	}

	b.rows++
	for i, s := range r.Texts {
		if s != b.last.Texts[i] {
			n, ok := b.numbers[s]
			if !ok {
				n = uint64(len(b.numbers))
				b.numbers[s] = n
			}
			b.last.Texts[i], b.lastNum[i] = s, n
			if !ok {
				b.bytes = binary.AppendUvarint(b.bytes, n)
				b.bytes = appendText(b.bytes, s)
				continue
			}
		}
		b.bytes = binary.AppendUvarint(b.bytes, b.lastNum[i])
	}

	b.bytes = binary.AppendVarint(b.bytes, r.N)
	b.bytes = binary.AppendVarint(b.bytes, r.Offset-b.last.Offset)
	b.last.Offset = r.Offset
	b.bytes = binary.LittleEndian.AppendUint64(b.bytes, math.Float64bits(r.Value))
}

func (b *block) reset() { *b = block{bytes: b.bytes[:0]} }

// A packer compresses blocks. It is a part of the steps that need one.
type packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// Setup is called by Beam.
func (p *packer) Setup() (err error) {
	p.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	p.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	return err
}

// take returns the rows of a block, compressed, and empties it.
func (p *packer) take(b *block) []byte {
	packed := p.enc.EncodeAll(b.bytes, nil)
	b.reset()
	return packed
}

// withChange adds the issue and the patchset of all rows that have none.
func withChange(issue, patchset string, packed []byte) []byte {
	return append(appendText(appendText(nil, issue), patchset), packed...)
}

var errBlock = errors.New("invalid block")

// read calls a function for each row of a block. Each text passes through intern once.
func (p *packer) read(packed []byte, intern func(string) string, add func(*row)) error {
	issue, packed, err := cutText(packed)
	if err != nil {
		return err
	}
	patchset, packed, err := cutText(packed)
	if err != nil {
		return err
	}
	bytes, err := p.dec.DecodeAll(packed, nil)
	if err != nil {
		return err
	}

	change := [...]string{intern(string(issue)), intern(string(patchset))}
	texts := []string{""}
	var r row
	for len(bytes) > 0 {
		if bytes, texts, err = r.cut(bytes, texts, intern); err != nil {
			return err
		}
		at := r
		at.Texts[textIssue] = cmp.Or(at.Texts[textIssue], change[0])
		at.Texts[textPatchset] = cmp.Or(at.Texts[textPatchset], change[1])
		add(&at)
	}
	return nil
}

// cut reads the row after r, given the texts so far. It returns the bytes after it.
func (r *row) cut(bytes []byte, texts []string, intern func(string) string) ([]byte, []string, error) {
	for i := range r.Texts {
		n, size := binary.Uvarint(bytes)
		if size <= 0 || n > uint64(len(texts)) {
			return nil, nil, errBlock
		}
		bytes = bytes[size:]
		if n == uint64(len(texts)) {
			text, rest, err := cutText(bytes)
			if err != nil {
				return nil, nil, err
			}
			texts, bytes = append(texts, intern(string(text))), rest
		}
		r.Texts[i] = texts[n]
	}

	n, size := binary.Varint(bytes)
	offset, more := binary.Varint(bytes[max(size, 0):])
	if size <= 0 || more <= 0 || len(bytes) < size+more+8 {
		return nil, nil, errBlock
	}
	bytes = bytes[size+more:]
	r.N, r.Offset = n, r.Offset+offset
	r.Value = math.Float64frombits(binary.LittleEndian.Uint64(bytes))
	return bytes[8:], texts, nil
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func cutText(src []byte) (text, rest []byte, err error) {
	n, size := binary.Uvarint(src)
	if size <= 0 || n > uint64(len(src)-size) {
		return nil, nil, errBlock
	}
	return src[size : size+int(n)], src[size+int(n):], nil
}

// appendPairs appends params, attrs or links as one text.
func appendPairs(dst []byte, pairs []traceid.Param) []byte {
	for _, p := range pairs {
		dst = appendText(appendText(dst, p.Key), p.Value)
	}
	return dst
}

// eachPair is the reverse of appendPairs.
func eachPair(text string, add func(key, value string)) error {
	for rest := []byte(text); len(rest) > 0; {
		key, after, err := cutText(rest)
		if err != nil {
			return err
		}
		value, after, err := cutText(after)
		if err != nil {
			return err
		}
		add(string(key), string(value))
		rest = after
	}
	return nil
}
