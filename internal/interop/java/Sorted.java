import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.trevni.avro.AvroColumnReader;

/** Checks that Trevni files hold the rows of Avro files in the order of fields, by Java's own comparison, and those of a folder FIELD=VALUE one value each. */
final class Sorted {
  private final Schema schema;
  private final String[] keys;
  private final GenericDatumWriter<Object> writer;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private BinaryEncoder encoder;
  private long digest;
  private long rows;

  private Sorted(Schema schema, String keys) {
    this.schema = schema;
    this.keys = keys.isEmpty() ? new String[0] : keys.split(",");
    this.writer = new GenericDatumWriter<>(schema);
  }

  static String check(String keys, List<File> avro, List<String> trevni) throws Exception {
    Sorted want;
    try (DataFileReader<Object> first = new DataFileReader<>(avro.get(0), new GenericDatumReader<>())) {
      want = new Sorted(first.getSchema(), "");
    }
    for (File file : avro) {
      try (DataFileReader<Object> in = new DataFileReader<>(file, new GenericDatumReader<>())) {
        for (Object row : in) {
          want.add(row);
        }
      }
    }
    Sorted got = new Sorted(want.schema, keys);
    GenericRecord last = null;
    String folder = null;
    for (String name : trevni) {
      File part = new File(name);
      if (!part.getParent().equals(folder)) {
        last = null; // order is within a partition
      }
      folder = part.getParent();
      last = got.part(part, last);
    }
    if (want.rows != got.rows || want.digest != got.digest) {
      throw new Compare.Difference(want.rows + " rows of digest " + want.digest + ", then " + got.rows + " of " + got.digest);
    }
    return got.rows + " rows";
  }

  private GenericRecord part(File part, GenericRecord last) throws Exception {
    String folder = part.getParentFile().getName();
    String field = folder.contains("=") ? folder.substring(0, folder.indexOf('=')) : null;
    try (AvroColumnReader<GenericRecord> in = new AvroColumnReader<>(new AvroColumnReader.Params(part))) {
      while (in.hasNext()) {
        GenericRecord row = in.next();
        if (last != null && order(last, row) > 0) {
          throw new Compare.Difference(part + ": row " + rows + " of all belongs before the one before it");
        }
        if (last != null && field != null && compare(field, last, row) != 0) {
          throw new Compare.Difference(part + ": row " + rows + " of all is of another partition");
        }
        last = row;
        add(row);
      }
    }
    return last;
  }

  private int order(GenericRecord a, GenericRecord b) {
    for (String key : keys) {
      boolean down = key.endsWith(":desc");
      int c = compare(down ? key.substring(0, key.length() - 5) : key, a, b);
      if (c != 0) {
        return down ? -c : c;
      }
    }
    return 0;
  }

  private int compare(String path, GenericRecord a, GenericRecord b) {
    Schema of = schema;
    Object x = a;
    Object y = b;
    for (String name : path.split("\\.")) {
      x = ((GenericRecord) x).get(name);
      y = ((GenericRecord) y).get(name);
      of = of.getField(name).schema();
    }
    return values(x, y, of);
  }

  /** Java's comparison, but for bytes and what consists of them: 1.12 takes bytes for signed there, against the specification. */
  private static int values(Object x, Object y, Schema of) {
    switch (of.getType()) {
      case UNION:
        int left = GenericData.get().resolveUnion(of, x);
        int right = GenericData.get().resolveUnion(of, y);
        return left == right ? values(x, y, of.getTypes().get(left)) : Integer.compare(left, right);
      case STRING:
        return Arrays.compareUnsigned(x.toString().getBytes(StandardCharsets.UTF_8), y.toString().getBytes(StandardCharsets.UTF_8));
      case BYTES:
        return Arrays.compareUnsigned(array((ByteBuffer) x), array((ByteBuffer) y));
      case FIXED:
        return Arrays.compareUnsigned(((GenericFixed) x).bytes(), ((GenericFixed) y).bytes());
      default:
        return GenericData.get().compare(x, y, of);
    }
  }

  private static byte[] array(ByteBuffer b) {
    byte[] all = new byte[b.remaining()];
    b.duplicate().get(all);
    return all;
  }

  /** The digest is a sum, so that it is of the rows in any order. */
  private void add(Object row) throws IOException {
    bytes.reset();
    encoder = EncoderFactory.get().binaryEncoder(bytes, encoder);
    writer.write(row, encoder);
    encoder.flush();
    long h = 0xcbf29ce484222325L;
    for (byte b : bytes.toByteArray()) {
      h = (h ^ (b & 0xff)) * 0x100000001b3L;
    }
    digest += h * (h >>> 31 | 1);
    rows++;
  }
}
