package assembly

// Kind is what is written of a [Node].
type Kind uint8

// The kinds.
const (
	Null   Kind = iota // nothing: null, and a record without fields
	Simple             // a value of a leaf
	Record             // fields, one after another
	List               // an array
	Map                // a map, whose entries are a key and a value
	Union              // a branch's index, and its value
)

// Value is how a leaf's values become Avro's.
type Value uint8

// The ways. The numbers in brackets are widths that a leaf's values may have.
const (
	Boolean     Value = iota // a byte, 0 or 1 [1]
	Int                      // int [4]
	Long                     // long [8]
	Uint                     // long: the number has no sign [4]
	Four                     // as it is: float [4]
	Eight                    // as it is: double [8]
	Half                     // float, of 16 bits in the leaf [2]
	Bytes                    // string, bytes [any, 0]
	Fixed                    // fixed: as it is [any]
	Empty                    // fixed of no bytes: the value has none [0]
	Symbol                   // enum: which of Symbols it is [0]
	UUID                     // string: the UUID's text [16]
	IntDecimal               // decimal: a number in the leaf [4, 8]
	UintDecimal              // decimal: a number without a sign [8]
	BigDecimal               // decimal: big-endian, two's complement [any, 0]
)

// Node is a type of the rows at one place, and where its values are in the file's leaves.
type Node struct {
	Kind Kind
	// First and Last are all leaves of the place in the file, [First, Last), also those that no
	// node below has. They are adjacent. A [Simple] has leaf First.
	First, Last int
	// Def is the definition level of the entries of what is here: of a simple value; of an array
	// or map without elements; of a union's null. Of a [Null] it is that of its leaves' entries.
	Def int
	// Rep is, of an array or map, the repetition level of its elements but the first, which is
	// the number of arrays and maps that it is in, plus 1.
	Rep int
	// Absent is, of a union of several branches beside null, the definition level of entries in
	// the leaves of the branches that a value is not of.
	Absent int
	// Others says that the file's union has branches beside null which the rows' has not. Values
	// of them are null.
	Others bool
	// Fields are those of a record, the branches of a union, the element of an array, or key and
	// value of a map. A branch is null where its Kind is Null and it has no leaves.
	Fields []*Node

	Value   Value    // of a simple value
	Size    int      // bytes of a fixed, also of a decimal on one; 0: a decimal on bytes
	Symbols []string // of an enum
}

// null reports whether n is the branch null.
func (n *Node) null() bool { return n.Kind == Null && n.First == n.Last }
