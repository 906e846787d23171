import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.trevni.avro.AvroColumnReader;

/** Compares an Avro file's rows with those of Trevni files, exactly: types, bits of numbers, names of records and of symbols. */
final class Compare {
  private Compare() {}

  /** The first difference found, and its place. */
  static final class Difference extends Exception {
    Difference(String message) {
      super(message);
    }
  }

  /** Returns the number of rows, when those of all .avro files are those of all .trv files, in the same order. */
  static long files(List<File> avro, List<String> trevni) throws IOException, Difference {
    return files(avro, null, trevni);
  }

  /** Returns the number of rows of the .avro files, read as a reader's schema has them. */
  static long read(List<File> avro, Schema reader) throws IOException {
    try (Rows rows = new Rows(avro, reader)) {
      long n = 0;
      for (; rows.hasNext(); n++) {
        rows.next();
      }
      return n;
    }
  }

  /** Returns the number of rows, when those of the one .avro file are those of the other; their schemas may differ as far as docs/schemas.md says. */
  static long avro(List<File> want, List<File> got) throws IOException, Difference {
    try (Rows a = new Rows(want, null); Rows b = new Rows(got, null)) {
      long rows = 0;
      for (; a.hasNext() && b.hasNext(); rows++) {
        value("row " + rows, a.getSchema(), a.next(), b.next());
      }
      if (a.hasNext() || b.hasNext()) {
        throw new Difference("row " + rows + ": one file has more");
      }
      return rows;
    }
  }

  /** Returns the number of rows of a .trv file. */
  static long trevni(File file) throws IOException {
    try (AvroColumnReader<Object> in = new AvroColumnReader<>(new AvroColumnReader.Params(file))) {
      long n = 0;
      for (; in.hasNext(); n++) {
        in.next();
      }
      return n;
    }
  }

  /** The same as the first, with the rows of the .avro files as a reader's schema has them, if it is not null. */
  static long files(List<File> avro, Schema reader, List<String> trevni) throws IOException, Difference {
    try (Rows want = new Rows(avro, reader)) {
      long rows = 0;
      for (String part : trevni) {
        rows += part(want, new File(part), rows);
      }
      if (want.hasNext()) {
        throw new Difference("row " + rows + ": the .avro file has more rows than the .trv files");
      }
      return rows;
    }
  }

  /** The rows of several Avro files, one file behind the other. */
  private static final class Rows implements AutoCloseable {
    private final Iterator<File> files;
    private final Schema reader;
    private DataFileReader<Object> file;

    Rows(List<File> files, Schema reader) throws IOException {
      this.reader = reader;
      this.files = files.iterator();
      open();
    }

    private void open() throws IOException {
      file = new DataFileReader<>(files.next(), new GenericDatumReader<>(null, reader));
    }

    boolean hasNext() throws IOException {
      while (!fileHasNext() && files.hasNext()) {
        file.close();
        open();
      }
      return fileHasNext();
    }

    /** Java's reader denies at a block of no rows that there are more, and goes on when it is asked again. */
    private boolean fileHasNext() {
      for (int asked = 0; asked < 5; asked++) {
        if (file.hasNext()) {
          return true;
        }
      }
      return false;
    }

    Object next() {
      return file.next();
    }

    Schema getSchema() {
      return reader == null ? file.getSchema() : reader;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private static long part(Rows want, File part, long first) throws IOException, Difference {
    try (AvroColumnReader<Object> got = new AvroColumnReader<>(new AvroColumnReader.Params(part))) {
      if (!Mended.same(got.getFileSchema(), want.getSchema())) {
        throw new Difference(part.getName() + ": avro.schema is " + got.getFileSchema() + ", want " + want.getSchema());
      }
      long rows = 0;
      for (; got.hasNext(); rows++) {
        String at = part.getName() + ": row " + (first + rows);
        if (!want.hasNext()) {
          throw new Difference(at + ": the .avro file has no more rows");
        }
        value(at, want.getSchema(), want.next(), got.next());
      }
      if (rows != got.getRowCount()) {
        throw new Difference(part.getName() + ": " + rows + " rows read, header says " + got.getRowCount());
      }
      return rows;
    }
  }

  private static void value(String at, Schema schema, Object want, Object got) throws Difference {
    if (want instanceof GenericRecord && got instanceof GenericRecord) {
      record(at, (GenericRecord) want, (GenericRecord) got);
    } else if (want instanceof List && got instanceof List) {
      list(at, schema, (List<?>) want, (List<?>) got);
    } else if (want instanceof Map && got instanceof Map) {
      map(at, schema, (Map<?, ?>) want, (Map<?, ?>) got);
    } else if (!leaf(want).equals(leaf(got))) {
      throw new Difference(at + ": got " + leaf(got) + ", want " + leaf(want) + " (" + schema.getType() + ")");
    }
  }

  private static void record(String at, GenericRecord want, GenericRecord got) throws Difference {
    String name = want.getSchema().getFullName();
    if (!Mended.sameName(got.getSchema().getFullName(), name)) {
      throw new Difference(at + ": got a " + got.getSchema().getFullName() + ", want a " + name);
    }
    for (Schema.Field f : want.getSchema().getFields()) {
      value(at + "." + f.name(), f.schema(), want.get(f.pos()), got.get(f.pos()));
    }
  }

  private static void list(String at, Schema schema, List<?> want, List<?> got) throws Difference {
    if (want.size() != got.size()) {
      throw new Difference(at + ": got " + got.size() + " elements, want " + want.size());
    }
    Iterator<?> theirs = got.iterator();
    int i = 0;
    for (Object w : want) {
      value(at + "[" + i++ + "]", schema, w, element(w, theirs.next()));
    }
  }

  /** Java's column reader gives the elements of an array of enum or fixed in their column's type, int and bytes. */
  private static Object element(Object want, Object got) {
    if (want instanceof GenericFixed && got instanceof ByteBuffer) {
      return new GenericData.Fixed(((GenericFixed) want).getSchema(), bytes((ByteBuffer) got));
    } else if (want instanceof GenericEnumSymbol && got instanceof Integer) {
      Schema schema = ((GenericEnumSymbol<?>) want).getSchema();
      return new GenericData.EnumSymbol(schema, schema.getEnumSymbols().get((Integer) got));
    }
    return got;
  }

  private static void map(String at, Schema schema, Map<?, ?> want, Map<?, ?> got) throws Difference {
    Map<String, Object> theirs = byString(got);
    Map<String, Object> ours = byString(want);
    if (!ours.keySet().equals(theirs.keySet())) {
      throw new Difference(at + ": got keys " + theirs.keySet() + ", want " + ours.keySet());
    }
    for (Map.Entry<String, Object> e : ours.entrySet()) {
      value(at + "{" + e.getKey() + "}", schema, e.getValue(), theirs.get(e.getKey()));
    }
  }

  private static Map<String, Object> byString(Map<?, ?> map) {
    Map<String, Object> out = new HashMap<>();
    for (Map.Entry<?, ?> e : map.entrySet()) {
      out.put(e.getKey().toString(), e.getValue());
    }
    return out;
  }

  /** A value in a form that says its type, and is equal only where every bit is. */
  private static String leaf(Object v) {
    if (v == null) {
      return "null";
    } else if (v instanceof CharSequence) {
      return "string " + v;
    } else if (v instanceof Float) {
      return "float " + v + " " + Integer.toHexString(Float.floatToRawIntBits((Float) v));
    } else if (v instanceof Double) {
      return "double " + v + " " + Long.toHexString(Double.doubleToRawLongBits((Double) v));
    } else if (v instanceof ByteBuffer) {
      return "bytes " + Arrays.toString(bytes((ByteBuffer) v));
    } else if (v instanceof GenericFixed) {
      return "fixed " + ((GenericFixed) v).getSchema().getFullName() + Arrays.toString(((GenericFixed) v).bytes());
    } else if (v instanceof GenericEnumSymbol) {
      return "enum " + ((GenericEnumSymbol<?>) v).getSchema().getFullName() + " " + v;
    }
    return v.getClass().getSimpleName() + " " + v; // Integer, Long, Boolean; a collection here has the wrong counterpart
  }

  private static byte[] bytes(ByteBuffer b) {
    byte[] out = new byte[b.remaining()];
    b.duplicate().get(out);
    return out;
  }
}
