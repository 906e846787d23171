import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.Utf8;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.ColumnMetaData;
import org.apache.trevni.ColumnValues;
import org.apache.trevni.ValueType;
import org.apache.trevni.avro.AvroColumnReader;

/**
 * Avro's Java readers as scanning programs; how they are spoken to is told in serve of bench/scanserve.go.
 *
 * <p>Scan trevni|avro|trevni-records|avro-records --column=C ...
 */
public final class Scan {
  private final List<String> columns = new ArrayList<>();
  private long from = 0;
  private long to = Long.MAX_VALUE;
  private long step = 1;
  private boolean all = true;
  private Schema schema;

  /** A column's values and their sum, as tally of bench/scantask.go has them. */
  private static final class Tally {
    long count;
    long whole;
    double broken;

    void add(Object v) {
      if (v instanceof Double || v instanceof Float) {
        broken += ((Number) v).doubleValue();
      } else if (v instanceof Number) {
        whole += ((Number) v).longValue();
      } else if (v instanceof Boolean) {
        whole += (Boolean) v ? 1 : 0;
      } else if (v instanceof Utf8) {
        whole += ((Utf8) v).getByteLength();
      } else if (v instanceof String) {
        whole += utf8Length((String) v);
      } else if (v instanceof ByteBuffer) {
        whole += ((ByteBuffer) v).remaining();
      } else {
        throw new IllegalArgumentException("values of " + v.getClass() + " are not summed up");
      }
      count++;
    }

    @Override
    public String toString() {
      return count + ":" + (broken != 0 ? Double.toString(broken) : Long.toString(whole));
    }
  }

  /** The bytes of a string. Its characters are looked at only if there are others than ASCII. */
  private static long utf8Length(String s) {
    return ascii ? s.length() : s.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean ascii;

  private interface Pass {
    List<?> run(File f) throws IOException;
  }

  public static void main(String[] args) throws IOException {
    Scan s = new Scan();
    for (int i = 1; i < args.length; i++) {
      s.option(args[i]);
    }
    Pass pass;
    switch (args[0]) {
      case "trevni": pass = s::trevni; break;
      case "avro": pass = s::avro; break;
      case "trevni-records": pass = s::trevniRecords; break;
      case "avro-records": pass = s::avroRecords; break;
      default: throw new IllegalArgumentException(args[0]);
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      System.out.println(answer(pass, new File(path)));
    }
  }

  private void option(String arg) throws IOException {
    String value = arg.substring(arg.indexOf('=') + 1);
    if (arg.startsWith("--column=")) {
      columns.add(value);
    } else if (arg.startsWith("--rows=")) {
      String[] rows = value.split(":");
      from = Long.parseLong(rows[0]);
      to = Long.parseLong(rows[1]);
      step = Long.parseLong(rows[2]);
      all = false;
    } else if (arg.startsWith("--schema=")) {
      schema = new Schema.Parser().parse(new File(value));
    } else if (arg.equals("--ascii")) {
      ascii = true;
    } else if (!arg.startsWith("--threads=")) { // these readers have one thread
      throw new IllegalArgumentException(arg);
    }
  }

  private static String answer(Pass pass, File f) {
    try {
      long start = System.nanoTime();
      List<?> found = pass.run(f);
      StringBuilder line = new StringBuilder("ok\t" + (System.nanoTime() - start) / 1e9);
      found.forEach(v -> line.append('\t').append(v));
      return line.toString();
    } catch (IOException | RuntimeException e) {
      return "error\t" + e.toString().replace('\n', ' ');
    }
  }

  private List<?> trevni(File f) throws IOException {
    List<Tally> found = new ArrayList<>();
    try (ColumnFileReader r = new ColumnFileReader(f)) {
      for (String name : columns) {
        Tally t = new Tally();
        ColumnMetaData meta = r.getColumnMetaData(name);
        if (meta.isArray() || meta.getParent() != null) {
          arrays(r, meta, t);
        } else if (all) {
          plain(r.getValues(name), t, meta.getType());
        } else {
          some(r.getValues(name), t, Math.min(to, r.getRowCount()));
        }
        found.add(t);
      }
    }
    return found;
  }

  /** Adds all values; the types of which there are most have a loop of their own. */
  private static void plain(ColumnValues<?> values, Tally t, ValueType type) throws IOException {
    long count = 0;
    if (type == ValueType.DOUBLE) {
      double sum = 0;
      for (; values.hasNext(); count++) {
        values.startRow();
        sum += (Double) values.nextValue();
      }
      t.broken = sum;
      t.count = count;
      return;
    }
    if (type == ValueType.STRING && ascii) {
      long sum = 0;
      for (; values.hasNext(); count++) {
        values.startRow();
        sum += ((String) values.nextValue()).length();
      }
      t.whole = sum;
      t.count = count;
      return;
    }
    while (values.hasNext()) {
      values.startRow();
      t.add(values.nextValue());
    }
  }

  private void some(ColumnValues<?> values, Tally t, long end) throws IOException {
    for (long row = from; row < end; row += step) {
      if (values.getRow() != row) {
        values.seek(row);
      }
      values.startRow();
      t.add(values.nextValue());
    }
  }

  /** Adds the values of a column in arrays, whose lengths stand in the columns above it. */
  private void arrays(ColumnFileReader r, ColumnMetaData meta, Tally t) throws IOException {
    if (!all) {
      throw new IllegalArgumentException("seeking in arrays gives wrong rows");
    }
    List<ColumnValues<?>> chain = new ArrayList<>();
    List<Boolean> array = new ArrayList<>();
    for (ColumnMetaData m = meta; m != null; m = m.getParent()) {
      chain.add(0, r.getValues(m.getNumber()));
      array.add(0, m.isArray());
    }
    for (long row = r.getRowCount(); row > 0; row--) {
      for (ColumnValues<?> v : chain) {
        v.startRow();
      }
      descend(chain, array, 0, t);
    }
  }

  private static void descend(List<ColumnValues<?>> chain, List<Boolean> array, int level, Tally t) throws IOException {
    ColumnValues<?> values = chain.get(level);
    int n = array.get(level) ? values.nextLength() : 1;
    boolean last = level == chain.size() - 1;
    for (int i = 0; i < n; i++) {
      Object v = values.nextValue();
      if (last) {
        t.add(v);
      } else {
        descend(chain, array, level + 1, t);
      }
    }
  }

  private List<?> avro(File f) throws IOException {
    List<Tally> found = new ArrayList<>();
    GenericDatumReader<GenericRecord> datum = new GenericDatumReader<>(null, schema);
    try (DataFileReader<GenericRecord> r = new DataFileReader<>(f, datum)) {
      int[][] paths = new int[columns.size()][];
      for (int i = 0; i < paths.length; i++) {
        paths[i] = path(schema, columns.get(i));
        found.add(new Tally());
      }
      if (all) {
        GenericRecord record = null;
        while (r.hasNext()) {
          record = r.next(record);
          add(record, paths, found);
        }
      } else {
        someRows(r, datum, paths, found);
      }
    }
    return found;
  }

  /** Decodes only the blocks that hold rows asked for, and of these the rows up to the last one. */
  private void someRows(DataFileReader<GenericRecord> r, GenericDatumReader<GenericRecord> datum, int[][] paths,
      List<Tally> found) throws IOException {
    long next = from;
    BinaryDecoder in = null;
    GenericRecord record = null;
    for (long first = 0; next < to && r.hasNext(); ) {
      ByteBuffer block = r.nextBlock();
      long end = first + r.getBlockCount();
      if (next < end) {
        in = DecoderFactory.get().binaryDecoder(block.array(), block.position(), block.remaining(), in);
        for (long row = first; row < end && next < to && next < end; row++) {
          record = datum.read(record, in);
          if (row == next) {
            add(record, paths, found);
            next += step;
          }
        }
      }
      first = end;
    }
  }

  /** The positions of a path's fields, arrays and null passed through. */
  private static int[] path(Schema s, String dotted) {
    String[] names = dotted.split("\\.");
    int[] positions = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      s = record(s);
      positions[i] = s.getField(names[i]).pos();
      s = s.getFields().get(positions[i]).schema();
    }
    return positions;
  }

  private static Schema record(Schema s) {
    switch (s.getType()) {
      case ARRAY:
        return record(s.getElementType());
      case UNION:
        return record(s.getTypes().get(s.getTypes().get(0).getType() == Schema.Type.NULL ? 1 : 0));
      default:
        return s;
    }
  }

  private static void add(GenericRecord record, int[][] paths, List<Tally> found) {
    for (int i = 0; i < paths.length; i++) {
      dig(record, paths[i], 0, found.get(i));
    }
  }

  private static void dig(Object v, int[] path, int at, Tally t) {
    if (v == null) {
      return;
    }
    if (v instanceof Collection) {
      for (Object item : (Collection<?>) v) {
        dig(item, path, at, t);
      }
    } else if (at < path.length) {
      dig(((GenericRecord) v).get(path[at]), path, at + 1, t);
    } else {
      t.add(v);
    }
  }

  /** All columns put together to records, which are counted, and digested the first time. */
  private List<?> trevniRecords(File f) throws IOException {
    try (AvroColumnReader<GenericRecord> r = new AvroColumnReader<>(new AvroColumnReader.Params(f))) {
      return records(r, r.getFileSchema());
    }
  }

  private List<?> avroRecords(File f) throws IOException {
    try (DataFileReader<GenericRecord> r = new DataFileReader<>(f, new GenericDatumReader<>())) {
      return records(r, r.getSchema());
    }
  }

  private List<?> records(Iterator<GenericRecord> r, Schema s) throws IOException {
    long rows = 0;
    if (digest == null) {
      MessageDigest sha = sha256();
      BinaryEncoder out = EncoderFactory.get().binaryEncoder(new DigestOutputStream(OutputStream.nullOutputStream(), sha), null);
      GenericDatumWriter<GenericRecord> writer = new GenericDatumWriter<>(s);
      for (; r.hasNext(); rows++) {
        writer.write(r.next(), out);
      }
      out.flush();
      digest = String.format("%032x", new BigInteger(1, Arrays.copyOf(sha.digest(), 16)));
    } else {
      for (; r.hasNext(); rows++) {
        r.next();
      }
    }
    return List.of(rows + ":" + "sha256-" + digest);
  }

  private String digest;

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
