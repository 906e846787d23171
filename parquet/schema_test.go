package parquet

import (
	"strings"
	"testing"
)

// paper is the schema of the documents in the Dremel paper.
func paper() *Node {
	return Group("Document", Required,
		Column("DocId", Required, Int64, Logical{}),
		Group("Links", Optional,
			Column("Backward", Repeated, Int64, Logical{}),
			Column("Forward", Repeated, Int64, Logical{})),
		Group("Name", Repeated,
			Group("Language", Repeated,
				Column("Code", Required, ByteArray, Logical{Kind: StringType}),
				Column("Country", Optional, ByteArray, Logical{Kind: StringType})),
			Column("Url", Optional, ByteArray, Logical{Kind: StringType})))
}

func mustSchema(t testing.TB, root *Node) *Schema {
	t.Helper()
	s, err := NewSchema(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLeaves(t *testing.T) {
	s := mustSchema(t, paper())
	want := []struct {
		path     string
		def, rep int
	}{
		{"DocId", 0, 0}, {"Links.Backward", 2, 1}, {"Links.Forward", 2, 1},
		{"Name.Language.Code", 2, 2}, {"Name.Language.Country", 3, 2}, {"Name.Url", 2, 1},
	}
	if len(s.Leaves) != len(want) {
		t.Fatalf("%d leaves", len(s.Leaves))
	}
	for i, w := range want {
		if l := s.Leaves[i]; l.String() != w.path || l.MaxDef != w.def || l.MaxRep != w.rep || l.Index != i {
			t.Errorf("leaf %d is %v, levels %d, %d; want %v", l.Index, l, l.MaxDef, l.MaxRep, w)
		}
	}
}

func TestSchemaString(t *testing.T) {
	s := mustSchema(t, Group("m", Required,
		List("a", Optional, Column("", Optional, Int32, Logical{Kind: DateType})),
		Map("b", Required, Column("", Required, ByteArray, Logical{Kind: StringType}), Column("", Required, Double, Logical{})),
		&Node{Name: "c", Type: FixedLenByteArray, Length: 4, Logical: Logical{Kind: DecimalType, Precision: 9, Scale: 2}},
		Column("d", Repeated, Int64, Logical{Kind: TimestampType, Unit: Micros, UTC: true})))
	want := `message m {
  optional group a (LIST) {
    repeated group list {
      optional int32 element (DATE);
    }
  }
  required group b (MAP) {
    repeated group key_value {
      required binary key (STRING);
      required double value;
    }
  }
  required fixed_len_byte_array(4) c (DECIMAL(9,2));
  repeated int64 d (TIMESTAMP(MICROS,true));
}
`
	if got := s.String(); got != want {
		t.Errorf("%s", got)
	}
}

func TestSchemaRefuses(t *testing.T) {
	deep := Column("leaf", Optional, Int32, Logical{})
	for range 255 {
		deep = Group("g", Repeated, deep)
	}
	tests := []struct {
		field *Node
		want  string
	}{
		{&Node{Name: "g", Fields: []*Node{}}, `field "g": a group without fields`},
		{Group("g", Required, Column("a", Required, Int32, Logical{}), Group("a", Required, Column("b", Required, Int32, Logical{}))), `field "g": two fields named "a"`},
		{Column("l", Required, 3, Logical{}), `field "l": type 3`},
		{Column("l", 3, Int32, Logical{}), `field "l": repetition 3`},
		{Column("l", Required, FixedLenByteArray, Logical{}), "fixed length of 0"},
		{Column("l", Required, Int32, Logical{Kind: StringType}), "int32 cannot be STRING"},
		{Column("l", Required, Int32, Logical{Kind: DecimalType, Precision: 10}), "int32 cannot be DECIMAL(10,0)"},
		{Column("l", Required, Int64, Logical{Kind: DecimalType, Precision: 10, Scale: 11}), "int64 cannot be DECIMAL(10,11)"},
		{&Node{Name: "l", Type: FixedLenByteArray, Length: 16, Logical: Logical{Kind: DecimalType, Precision: 39}}, "cannot be DECIMAL(39,0)"},
		{Column("l", Required, Int32, Logical{Kind: TimeType, Unit: Micros}), "int32 cannot be TIME(MICROS,false)"},
		{&Node{Name: "l", Type: Int64, Symbols: []string{"A"}}, "int64 cannot have symbols"},
		{&Node{Name: "g", Fields: []*Node{Column("l", Required, Int32, Logical{})}, Logical: Logical{Kind: DateType}}, "a group cannot be DATE"},
		{deep, "more than 255"},
	}
	for _, test := range tests {
		_, err := NewSchema(Group("m", Required, test.field))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v; want %q", err, test.want)
		}
	}
	if _, err := NewSchema(Column("l", Required, Int32, Logical{})); err == nil {
		t.Error("a leaf is a schema")
	}
}
