package record

import "avro2trevni/trevni"

// program is what a schema is compiled to: the columns read, and the instructions
// that put one row together. It is immutable.
type program struct {
	needs  []need // the columns read, parents before their children
	ops    []op
	unions []union
	enums  [][]int32 // new index of each of the file's symbols, -1: none
	consts [][]byte  // bytes that stand in every row: defaults
	loops  int       // loop slots that the instructions use
	nulls  []int     // columns of nulls, one a row, which are not read: their numbers in the file
}

// need is a column that is read.
type need struct {
	column int         // its number in the file
	parent int         // index of the need that is its parent, -1: none
	typ    trevni.Type // of its values
	array  bool
}

// opcode says what an instruction appends to the row.
type opcode uint8

const (
	opLong      opcode = iota // copy a varint of 64 bits
	opInt                     // copy a varint of 32 bits
	opEnum                    // copy a varint below n
	opSymbol                  // write what table n of enums has for a varint
	opToFloat                 // write a varint as a float
	opToDouble                // write a varint, or a float, as a double
	opFour                    // copy 4 bytes
	opEight                   // copy 8 bytes
	opBoolean                 // write the next bit as a byte
	opByte                    // copy a byte that is 0 or 1: a boolean in a union
	opString                  // copy a length and as many bytes
	opFixed                   // drop the length, which must be n, and copy n bytes
	opConst                   // write number n of consts
	opOption                  // union with one branch but null: a length, 0: write null, go to jump; 1: write value
	opUnion                   // any other union, number n of unions; no branch: go to jump
	opJump                    // go to jump, after a union's branch
	opArray                   // begin an array or map: a length, written as count; 0: go to jump
	opNext                    // end of an element: go to jump for the next, or write 0
	opValues                  // a whole array of values that are copied as they stand
	opBits                    // a whole array of booleans
	opNullArray               // a whole array of values of no bytes
)

// op is one instruction. Fields that an opcode does not name are unused.
type op struct {
	code   opcode
	null   byte   // opOption: the varint of the wanted null branch's index
	value  byte   // opOption: that of the other's; opFixed: n as a length, if that takes one byte; opTo...: the file's kind
	column uint32 // index of the need that values or lengths come from
	n      uint32 // see the opcodes; opArray, opNext: the loop's slot
	jump   uint32 // index of the instruction to go on at
}

// union is a union whose branches have columns of their own.
type union struct {
	branches []branch
	null     []byte // what is written where no branch has a value; nil: that is none
	none     error  // what it is then
}

// branch is one branch of a union.
type branch struct {
	column uint32 // index of the need that has its lengths
	index  []byte // what is written for it
	jump   uint32 // its first instruction
}
