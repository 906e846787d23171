package assembly

// Program is what a tree is compiled to. It does not change, and any number of goroutines may
// use it.
type Program struct {
	leaves   []Leaf
	needs    []int // the leaves that are read, in order: a cursor each
	ops      []op
	absences []absence
	unions   []union
	converts []conversion
	consts   [][]byte
	loops    int // lists inside of each other, at most
}

// Leaves returns the numbers of the leaves that the rows need, ascending, at least one.
func (p *Program) Leaves() []int { return p.needs }

// opcode says what an instruction does.
type opcode uint8

const (
	opBoolean   opcode = iota // write the next value: a byte that is 0 or 1
	opInt                     // ... of 4 bytes, as a varint
	opLong                    // ... of 8 bytes, as a varint
	opFour                    // ... of 4 bytes
	opEight                   // ... of 8 bytes
	opText                    // ... of any length, with it in front
	opRaw                     // ... of n bytes
	opConvert                 // ... in any other way
	opLevel                   // take an entry, which must have a value
	opConst                   // write number n of consts
	opMaybeLeaf               // union of null and a leaf: take an entry; at def: write value; one below: write null, go to jump
	opMaybe                   // union of null and another: above def: write value; at def: write null, take absence n, go to jump
	opSwitch                  // any other union, number n of unions
	opAbsent                  // take absence n
	opJump                    // go to jump
	opList                    // array or map: above def: begin it; at def: write 0, take absence n, go to jump
	opNext                    // end of an element: go to jump for the next, or end the array
	opDrop                    // take the entries of a leaf for one value, without what they hold
	opEnd                     // end of a row: the next entry must begin another
)

// op is one instruction. Fields that an opcode does not name are unused.
type op struct {
	code   opcode
	null   byte   // opMaybe, opMaybeLeaf: what is written for null
	value  byte   // opMaybe, opMaybeLeaf: what is written before a value
	def    byte   // a definition level
	rep    byte   // opNext: of the next element; opDrop: of the place
	only   bool   // opDrop: the entry is at def, and not above
	column uint32 // index of the need that values or levels come from
	n      uint32 // see the opcodes; opRaw: bytes; opConvert: number of converts; opNext: the loop's slot
	slot   uint32 // opList: the loop's slot
	jump   uint32 // index of the instruction to go on at
}

// absence is needs [lo, hi): each has one entry at a level.
type absence struct {
	lo, hi uint32
	def    byte
}

// union is a union of several branches, or of one that may be left out.
type union struct {
	branches []branch
	null     []byte // what is written for null; nil: null is no branch
	driver   uint32 // the need that is looked at for null
	def      byte   // level of null
	absent   byte   // level of a branch that is left out, if there are such
	others   bool
	lo, hi   uint32 // the needs of all branches
}

// branch is one branch of a union.
type branch struct {
	driver uint32 // the need that is looked at
	def    byte   // its least level if the value is of the branch
	index  []byte // what is written for it
	jump   uint32 // its first instruction
}

// conversion is what opConvert does.
type conversion struct {
	value   Value
	size    int
	symbols *symbols
}
