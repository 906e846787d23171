import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.avro.AvroParquetReader;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/**
 * Reads Parquet files, and writes their rows in the canonical form of python/canonical.py: java Rows.java parquet-java|parquet-avro.
 * A job is a line of standard input: NAME, the Parquet file, the file to write, between tabs; the answer is OK or BAD, the name, and
 * what was seen. parquet-java reads a file by its own schema; parquet-avro makes Avro records, by the Avro schema that the file has
 * among its metadata, if it has one. Both compare the pages' checksums. With write-avro a job is NAME, an Avro file, and the Parquet
 * file that parquet-avro is to write of it.
 */
public final class Rows {
  private Rows() {}

  private interface Work {
    long rows(Path from, Path to) throws IOException;
  }

  private interface Reading {
    long rows(Path file, Writer to) throws IOException;
  }

  private static Work work(String name) {
    if (name.equals("write-avro")) {
      return Rows::writeAvro;
    }
    Reading reading = name.equals("parquet-avro") ? Rows::asAvro : Rows::asGroups;
    return (from, target) -> {
      try (Writer to = Files.newBufferedWriter(target)) {
        return reading.rows(from, to);
      }
    };
  }

  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, "UTF-8");
    System.setOut(System.err); // whatever a library prints is no answer
    Work work = work(args[0]);
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split("\t");
      String answer;
      try {
        answer = "OK\t" + job[0] + "\t" + work.rows(Path.of(job[1]), Path.of(job[2]));
      } catch (Throwable t) { // an Error too: what crashes one job is that job's answer
        answer = "BAD\t" + job[0] + "\t" + causes(t);
      }
      answers.println(answer.replace('\n', ' ').replace('\r', ' '));
    }
  }

  private static String causes(Throwable t) {
    StringBuilder said = new StringBuilder();
    for (Throwable c = t; c != null; c = c.getCause()) {
      said.append(said.length() == 0 ? "" : ": ").append(String.valueOf(c).replace('\t', ' '));
    }
    return said.substring(0, Math.min(said.length(), 500));
  }

  // By the file's own schema.

  private static long asGroups(Path file, Writer to) throws IOException {
    ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration()).usePageChecksumVerification().build();
    long rows = 0;
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file), options)) {
      var schema = reader.getFileMetaData().getSchema();
      MessageColumnIO io = new ColumnIOFactory().getColumnIO(schema);
      for (PageReadStore pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
        RecordReader<Group> records = io.getRecordReader(pages, new GroupRecordConverter(schema));
        for (long i = 0; i < pages.getRowCount(); i++, rows++) {
          StringBuilder row = new StringBuilder();
          struct(row, schema, records.read());
          to.append(row).append('\n');
        }
      }
    }
    return rows;
  }

  private static void struct(StringBuilder to, GroupType type, Group group) {
    to.append('{');
    for (int i = 0; i < type.getFieldCount(); i++) {
      to.append(i == 0 ? "" : ",");
      quote(to, type.getFieldName(i)).append(':');
      field(to, type.getType(i), group, i);
    }
    to.append('}');
  }

  private static void field(StringBuilder to, Type type, Group group, int i) {
    if (group.getFieldRepetitionCount(i) == 0) {
      to.append("null");
    } else if (type.isPrimitive()) {
      value(to, type.asPrimitiveType(), group, i);
    } else if (type.getLogicalTypeAnnotation() == null) {
      struct(to, type.asGroupType(), group.getGroup(i, 0));
    } else { // a list or a map
      boolean map = type.getLogicalTypeAnnotation() instanceof LogicalTypeAnnotation.MapLogicalTypeAnnotation;
      Group list = group.getGroup(i, 0);
      GroupType item = type.asGroupType().getType(0).asGroupType();
      to.append('[');
      for (int k = 0; k < list.getFieldRepetitionCount(0); k++) {
        to.append(k == 0 ? "" : ",");
        if (map) {
          struct(to, item, list.getGroup(0, k));
        } else {
          field(to, item.getType(0), list.getGroup(0, k), 0);
        }
      }
      to.append(']');
    }
  }

  private static void value(StringBuilder to, PrimitiveType type, Group group, int i) {
    LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
    switch (type.getPrimitiveTypeName()) {
      case BOOLEAN:
        to.append(group.getBoolean(i, 0));
        break;
      case INT32:
        number(to, logical, group.getInteger(i, 0));
        break;
      case INT64:
        number(to, logical, group.getLong(i, 0));
        break;
      case FLOAT:
        real(to, group.getFloat(i, 0));
        break;
      case DOUBLE:
        real(to, group.getDouble(i, 0));
        break;
      default:
        byte[] bytes = group.getBinary(i, 0).getBytes();
        if (logical instanceof DecimalLogicalTypeAnnotation) {
          decimal(to, new BigInteger(bytes), ((DecimalLogicalTypeAnnotation) logical).getScale());
        } else if (logical instanceof LogicalTypeAnnotation.StringLogicalTypeAnnotation
            || logical instanceof LogicalTypeAnnotation.EnumLogicalTypeAnnotation) {
          quote(to, "s:" + group.getString(i, 0));
        } else {
          octets(to, bytes);
        }
    }
  }

  private static void number(StringBuilder to, LogicalTypeAnnotation logical, long v) {
    if (logical instanceof DecimalLogicalTypeAnnotation) {
      decimal(to, BigInteger.valueOf(v), ((DecimalLogicalTypeAnnotation) logical).getScale());
    } else if (logical instanceof LogicalTypeAnnotation.DateLogicalTypeAnnotation) {
      to.append("\"date:").append(v).append('"');
    } else if (logical instanceof TimeLogicalTypeAnnotation) {
      to.append("\"time:").append(nanos(v, ((TimeLogicalTypeAnnotation) logical).getUnit())).append('"');
    } else if (logical instanceof TimestampLogicalTypeAnnotation) {
      TimestampLogicalTypeAnnotation stamp = (TimestampLogicalTypeAnnotation) logical;
      to.append("\"ts:").append(nanos(v, stamp.getUnit())).append(stamp.isAdjustedToUTC() ? "Z\"" : "\"");
    } else {
      to.append(v);
    }
  }

  private static BigInteger nanos(long v, TimeUnit unit) {
    long scale = unit == TimeUnit.MILLIS ? 1_000_000 : unit == TimeUnit.MICROS ? 1000 : 1;
    return BigInteger.valueOf(v).multiply(BigInteger.valueOf(scale));
  }

  // As Avro records.

  private static long asAvro(Path file, Writer to) throws IOException {
    PlainParquetConfiguration configuration = new PlainParquetConfiguration();
    configuration.set("parquet.avro.add-list-element-records", "false"); // for files without an Avro schema: lists have three levels
    long rows = 0;
    try (ParquetReader<IndexedRecord> reader =
        AvroParquetReader.<IndexedRecord>builder(new LocalInputFile(file), configuration)
            .withDataModel(GenericData.get())
            .usePageChecksumVerification()
            .build()) {
      for (IndexedRecord r = reader.read(); r != null; r = reader.read(), rows++) {
        StringBuilder row = new StringBuilder();
        avro(row, r.getSchema(), r);
        to.append(row).append('\n');
      }
    }
    return rows;
  }

  private static long writeAvro(Path from, Path to) throws IOException {
    PlainParquetConfiguration configuration = new PlainParquetConfiguration();
    configuration.set("parquet.avro.write-old-list-structure", "false");
    long rows = 0;
    try (DataFileReader<Object> reader = new DataFileReader<>(from.toFile(), new GenericDatumReader<>());
        ParquetWriter<Object> writer =
            AvroParquetWriter.<Object>builder(new LocalOutputFile(to))
                .withSchema(reader.getSchema())
                .withDataModel(GenericData.get())
                .withConf(configuration)
                .build()) {
      for (; reader.hasNext(); rows++) {
        writer.write(reader.next());
      }
    }
    return rows;
  }

  private static void avro(StringBuilder to, Schema schema, Object v) {
    switch (schema.getType()) {
      case RECORD:
        avroRecord(to, schema, (IndexedRecord) v);
        break;
      case UNION:
        avroUnion(to, schema, v);
        break;
      case ARRAY:
        to.append('[');
        int i = 0;
        for (Object e : (Iterable<?>) v) {
          to.append(i++ == 0 ? "" : ",");
          avro(to, schema.getElementType(), e);
        }
        to.append(']');
        break;
      case MAP:
        to.append('[');
        int k = 0;
        for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) {
          quote(to.append(k++ == 0 ? "" : ",").append("{\"key\":"), "s:" + e.getKey()).append(",\"value\":");
          avro(to, schema.getValueType(), e.getValue());
          to.append('}');
        }
        to.append(']');
        break;
      default:
        avroSimple(to, schema, v);
    }
  }

  private static void avroRecord(StringBuilder to, Schema schema, IndexedRecord v) {
    to.append('{');
    int n = 0;
    for (Schema.Field f : schema.getFields()) {
      if (types(f.schema()).isEmpty()) {
        continue; // null, which has no column
      }
      quote(to.append(n++ == 0 ? "" : ","), f.name()).append(':');
      avro(to, f.schema(), v.get(f.pos()));
    }
    to.append(n == 0 ? "\"_\":null}" : "}");
  }

  /** The types of a union but null, or the one type of another schema. */
  private static List<Schema> types(Schema schema) {
    List<Schema> all = schema.isUnion() ? schema.getTypes() : List.of(schema);
    List<Schema> some = new ArrayList<>(all);
    some.removeIf(s -> s.getType() == Schema.Type.NULL);
    return some;
  }

  private static void avroUnion(StringBuilder to, Schema schema, Object v) {
    List<Schema> types = types(schema);
    if (v == null) {
      to.append("null");
    } else if (types.size() == 1) {
      avro(to, types.get(0), v);
    } else {
      Schema is = schema.getTypes().get(GenericData.get().resolveUnion(schema, v));
      for (int i = 0; i < types.size(); i++) {
        to.append(i == 0 ? "{" : ",").append("\"member").append(i).append("\":");
        if (types.get(i) == is) {
          avro(to, is, v);
        } else {
          to.append("null");
        }
      }
      to.append('}');
    }
  }

  private static void avroSimple(StringBuilder to, Schema schema, Object v) {
    LogicalTypeAnnotation logical = logical(schema);
    if (v == null || v instanceof Boolean) {
      to.append(v);
    } else if (v instanceof Integer || v instanceof Long) {
      number(to, logical, ((Number) v).longValue());
    } else if (v instanceof Float || v instanceof Double) {
      real(to, ((Number) v).doubleValue());
    } else if (schema.getType() == Schema.Type.STRING || schema.getType() == Schema.Type.ENUM) {
      quote(to, "s:" + v);
    } else {
      byte[] bytes = v instanceof GenericFixed ? ((GenericFixed) v).bytes() : bytes((ByteBuffer) v);
      if (logical instanceof DecimalLogicalTypeAnnotation) {
        decimal(to, new BigInteger(bytes), ((DecimalLogicalTypeAnnotation) logical).getScale());
      } else {
        octets(to, bytes);
      }
    }
  }

  /** The logical types of Avro whose values are told as such. */
  private static LogicalTypeAnnotation logical(Schema schema) {
    var type = schema.getLogicalType();
    if (type == null) {
      return null;
    }
    if (type instanceof org.apache.avro.LogicalTypes.Decimal) {
      var d = (org.apache.avro.LogicalTypes.Decimal) type;
      return LogicalTypeAnnotation.decimalType(d.getScale(), d.getPrecision());
    }
    switch (type.getName()) {
      case "date":
        return LogicalTypeAnnotation.dateType();
      case "timestamp-millis":
        return LogicalTypeAnnotation.timestampType(true, TimeUnit.MILLIS);
      case "timestamp-micros":
        return LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS);
      case "local-timestamp-millis":
        return LogicalTypeAnnotation.timestampType(false, TimeUnit.MILLIS);
      case "local-timestamp-micros":
        return LogicalTypeAnnotation.timestampType(false, TimeUnit.MICROS);
      default:
        return null;
    }
  }

  private static byte[] bytes(ByteBuffer b) {
    byte[] bytes = new byte[b.remaining()];
    b.duplicate().get(bytes);
    return bytes;
  }

  // The canonical form.

  private static void real(StringBuilder to, double v) {
    to.append(Double.isNaN(v) ? "\"d:nan\"" : String.format("\"d:%016x\"", Double.doubleToRawLongBits(v)));
  }

  private static void decimal(StringBuilder to, BigInteger unscaled, int scale) {
    to.append("\"n:").append(new BigDecimal(unscaled, scale).toPlainString()).append('"');
  }

  private static void octets(StringBuilder to, byte[] bytes) {
    to.append("\"x:");
    for (byte b : bytes) {
      to.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
    to.append('"');
  }

  private static StringBuilder quote(StringBuilder to, String text) {
    to.append('"');
    for (char c : text.toCharArray()) {
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        to.append(String.format("\\u%04x", (int) c));
      } else {
        to.append(c);
      }
    }
    return to.append('"');
  }
}
