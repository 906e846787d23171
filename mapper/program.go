package mapper

// Program is a schema compiled for the walk: its columns, and the instructions that
// shred one row into them. It is immutable, and any number of mappers may share it.
type Program struct {
	columns  []Column
	levels   bool // of the layout
	ops      []op
	tables   [][]branch // of the unions
	symbols  [][]int    // of enums: the new index of each of the writer's, -1: none
	consts   [][]put    // of opConst
	fails    []error    // of opFail
	skips    [][]step   // of opSkip, and of steps
	fills    []fill     // columns that get nothing from the rows
	absences []absence  // of opAbsent, opMaybe and opList
	loops    int        // loop slots that the instructions use
	minSize  int        // bytes of the smallest row; 0 if no row takes any

	widens   bool  // whether instructions make more of a row than its own bytes
	fillSize int   // bytes that fills add to a row, at most
	added    []int // bytes that fills and each constant, once, add to each column; nil: there are none
}

// Columns returns the columns of the layout. The caller must not change them.
func (p *Program) Columns() []Column { return p.columns }

// Hollow reports whether no row takes any bytes.
func (p *Program) Hollow() bool { return p.minSize == 0 }

// opcode says what an instruction does with the bytes at the walk's position.
type opcode uint8

const (
	opInt       opcode = iota // copy a varint of 32 bits to column
	opLong                    // copy a varint of 64 bits
	opEnum                    // copy a varint below n
	opFour                    // copy 4 bytes
	opEight                   // copy 8 bytes
	opBoolean                 // pack one byte's truth
	opString                  // copy a length and as many bytes
	opFixed                   // write n as a length, copy n bytes
	opEmpty                   // opFixed of no bytes: consumes none, writes one
	opNothing                 // null: needs no instruction, and is never emitted
	opOption                  // union of null and one branch: go to jump if it is null
	opUnion                   // any other union: go where the branch's table says
	opJump                    // go to jump, after a union's last branch
	opArray                   // begin an array or map: go to jump if it is empty
	opNext                    // end of an element: go to jump for the next one
	opNullArray               // an array whose elements take no bytes and fill no columns

	// Those of rows that are resolved to another schema, or of which not all is wanted.

	opSkip     // step over what the sequence n says
	opPresent  // a value of a union's branch begins that the bytes do not tell
	opConst    // add what the constant n says
	opSwitch   // a union: go where the branch's table says
	opFail     // a union's branch that is nothing that is wanted
	opDouble   // copy 4 bytes, a float, as a double
	opToFloat  // copy a varint, of kind value, as a float
	opToDouble // copy a varint, of kind value, as a double
	opSymbol   // copy a varint as another, by the symbols n
	opGuard    // count an element of an array that takes no bytes

	// Those of a layout with levels: see levels.go. opFour, opEight, opBoolean, opSkip, opConst,
	// opSwitch, opJump, opFail, opDouble, opToFloat, opToDouble and opGuard serve both.

	opLevel      // an entry with the definition level value, and a value that follows
	opAbsent     // an entry without a value for all leaves of the absence n
	opMaybe      // union of null and one branch: if it is null do the absence n, and go to jump
	opMaybeLeaf  // the same of a leaf: an entry with the level n, or n-1 and go to jump
	opInt32      // copy a varint of 32 bits as 4 bytes
	opInt64      // copy a varint as 8 bytes; one of 32 bits if null is not 0
	opText       // copy a length as 4 bytes, and as many bytes
	opRaw        // copy n bytes
	opNoText     // a text of no bytes, which consumes none
	opIndex      // copy a varint below n as 4 bytes
	opIndexOther // the same, by the symbols n
	opList       // begin an array or map in the loop value: if it is empty do the absence n, and go to jump
	opListNext   // end of an element of the loop value: go to jump for the next, whose repetition level is n
)

// op is one instruction. Fields that an opcode does not name are unused.
type op struct {
	code   opcode
	null   byte   // opOption: the varint of the null branch's index
	value  byte   // opOption: that of the other branch's; opFixed: n as a length, if it takes one byte
	column uint32 // the column written; of an array, the one that has its lengths
	n      uint32 // opEnum: symbols; opFixed: bytes; opUnion, opSwitch: its table; opArray, opNext: the loop's slot; else its index
	jump   uint32 // index of the instruction to go on at; opConst, opDouble, opToFloat, opToDouble: the loops that it is in
}

// branch is what a union's table says of one branch.
type branch struct {
	column int    // the branch's column, -1 for null
	jump   uint32 // the branch's first instruction
}

// uncounted returns the instructions, and fills, of a row that do not count the values
// of no bytes themselves.
func (p *Program) uncounted() int {
	n := len(p.fills)
	for i := range p.ops {
		if p.ops[i].code != opEmpty {
			n++
		}
	}
	return n
}

// Size returns about how many bytes the program holds.
func (p *Program) Size() int64 {
	const column, instruction, entry = 200, 24, 64
	n := column*len(p.columns) + instruction*len(p.ops)
	for _, t := range p.tables {
		n += entry * len(t)
	}
	for _, s := range p.symbols {
		n += 8 * len(s)
	}
	for _, s := range p.skips {
		n += entry * len(s)
	}
	for _, c := range p.consts {
		n += entry*len(c) + size(c)
	}
	return int64(n + entry*len(p.fails) + entry*len(p.fills) + p.fillSize)
}
