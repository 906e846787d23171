import io.apicurio.registry.utils.converter.avro.AvroData;
import io.debezium.data.Enum;
import io.debezium.data.Envelope;
import io.debezium.data.Json;
import io.debezium.data.VariableScaleDecimal;
import io.debezium.time.Date;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.ZonedTimestamp;
import java.io.File;
import java.io.FileOutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;

/**
 * Writes the fixtures made as a sink of Kafka Connect writes them: java Connect.java DIR. Rows of Connect's own types, and the
 * changes of a table as Debezium tells them, become Avro by the defaults of Connect's AvroData.
 */
public final class Connect {
  private static final String MAKER = "connect-apicurio-2.6.13-";

  public static void main(String[] args) throws Exception {
    File avro = new File(args[0], "avro");
    Schema types = types();
    Object[] rows = new Object[40];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = typesRow(types, i);
    }
    write(new File(avro, MAKER + "types-snappy.avro"), types, rows);

    Schema row = row();
    Schema source = source();
    Envelope envelope = Envelope.defineSchema().withName("shop.inventory.Orders.Envelope").withRecord(row).withSource(source).build();
    Object[] changes = new Object[60];
    for (int i = 0; i < changes.length; i++) {
      changes[i] = change(envelope, row, source, i);
    }
    write(new File(avro, MAKER + "debezium-2.7.4-orders.avro"), envelope.schema(), changes);
  }

  private static void write(File file, Schema schema, Object[] rows) throws Exception {
    AvroData data = new AvroData(100);
    org.apache.avro.Schema avro = data.fromConnectSchema(schema);
    try (DataFileWriter<Object> out = new DataFileWriter<>(new GenericDatumWriter<>(avro))) {
      if (file.getName().contains("snappy")) {
        out.setCodec(CodecFactory.snappyCodec());
      }
      out.create(avro, new FileOutputStream(file), Arrays.copyOf("0123456789abcdef".getBytes(), 16));
      for (Object row : rows) {
        out.append(data.fromConnectData(schema, row));
      }
    }
  }

  /** Each of Connect's types, with a version, parameters, docs and defaults; a struct without a name, which gets Connect's own. */
  private static Schema types() {
    Schema inner = SchemaBuilder.struct().field("x", Schema.INT32_SCHEMA).field("y", Schema.OPTIONAL_STRING_SCHEMA).build();
    return SchemaBuilder.struct().name("com.example.Types").version(3).doc("all of them").parameter("team", "data")
        .field("i8", Schema.INT8_SCHEMA)
        .field("i16", Schema.OPTIONAL_INT16_SCHEMA)
        .field("i32", SchemaBuilder.int32().defaultValue(-1).doc("with a default").build())
        .field("i64", SchemaBuilder.int64().optional().defaultValue(5L).build())
        .field("f32", Schema.OPTIONAL_FLOAT32_SCHEMA)
        .field("f64", Schema.FLOAT64_SCHEMA)
        .field("ok", SchemaBuilder.bool().defaultValue(true).build())
        .field("text", SchemaBuilder.string().optional().defaultValue("none").build())
        .field("raw", Schema.OPTIONAL_BYTES_SCHEMA)
        .field("price", Decimal.builder(2).parameter("connect.decimal.precision", "12").optional().build())
        .field("any", Decimal.schema(0))
        .field("at", Timestamp.builder().optional().build())
        .field("day", org.apache.kafka.connect.data.Date.SCHEMA)
        .field("time", org.apache.kafka.connect.data.Time.SCHEMA)
        .field("list", SchemaBuilder.array(Schema.OPTIONAL_INT64_SCHEMA).optional().build())
        .field("byName", SchemaBuilder.map(Schema.STRING_SCHEMA, inner).build())
        .field("byNumber", SchemaBuilder.map(Schema.INT32_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA).build())
        .build();
  }

  private static Struct typesRow(Schema s, int i) {
    Schema inner = s.field("byName").schema().valueSchema();
    Map<String, Struct> byName = new LinkedHashMap<>();
    Map<Integer, String> byNumber = new LinkedHashMap<>();
    for (int k = 0; k < i % 3; k++) {
      byName.put("k" + k, new Struct(inner).put("x", k).put("y", k == 1 ? null : "y" + i));
      byNumber.put(k * 1000, k == 1 ? null : "n" + i);
    }
    Struct row = new Struct(s).put("i8", (byte) (i - 20)).put("i32", i * 1000).put("f64", i / 3.0).put("any", BigDecimal.valueOf(i))
        .put("day", new java.util.Date(i * 86_400_000L)).put("time", new java.util.Date(i * 1000L)).put("byName", byName).put("byNumber", byNumber);
    if (i % 4 != 0) {
      row.put("i16", (short) i).put("i64", (long) i << 40).put("f32", i / 8f).put("text", "né" + i).put("raw", new byte[] {(byte) i, -1})
          .put("price", new BigDecimal(i - 20).movePointLeft(2)).put("at", new java.util.Date(1_700_000_000_000L + i)).put("list", Arrays.asList((long) i, null, -1L));
    }
    return row;
  }

  /** A row of a table as Debezium's MySQL connector tells it. */
  private static Schema row() {
    return SchemaBuilder.struct().name("shop.inventory.Orders.Value").optional()
        .field("id", Schema.INT64_SCHEMA)
        .field("state", Enum.builder("new,paid,sent back").defaultValue("new").build())
        .field("total", Decimal.builder(2).parameter("connect.decimal.precision", "10").build())
        .field("weight", VariableScaleDecimal.builder().optional().build())
        .field("details", Json.builder().optional().build())
        .field("due", Date.builder().optional().build())
        .field("changed", MicroTimestamp.builder().build())
        .field("created", ZonedTimestamp.builder().defaultValue("1970-01-01T00:00:00Z").build())
        .build();
  }

  private static Schema source() {
    return SchemaBuilder.struct().name("io.debezium.connector.mysql.Source")
        .field("version", Schema.STRING_SCHEMA)
        .field("connector", Schema.STRING_SCHEMA)
        .field("name", Schema.STRING_SCHEMA)
        .field("ts_ms", Schema.INT64_SCHEMA)
        .field("snapshot", Enum.builder("true,last,false,incremental").optional().defaultValue("false").build())
        .field("db", Schema.STRING_SCHEMA)
        .field("table", Schema.OPTIONAL_STRING_SCHEMA)
        .field("pos", Schema.INT64_SCHEMA)
        .build();
  }

  private static Struct change(Envelope envelope, Schema row, Schema source, int i) {
    Struct from = new Struct(source).put("version", "2.7.4.Final").put("connector", "mysql").put("name", "shop")
        .put("ts_ms", 1_700_000_000_000L + i).put("db", "inventory").put("table", i % 5 == 0 ? null : "orders").put("pos", 4L * i);
    Struct old = order(row, i / 2, "new");
    Instant at = Instant.ofEpochMilli(1_700_000_000_500L + i);
    switch (i % 3) {
      case 0:
        return envelope.create(old, from, at);
      case 1:
        return envelope.update(old, order(row, i / 2, "sent back"), from, at);
      default:
        return envelope.delete(old, from, at);
    }
  }

  private static Struct order(Schema row, int id, String state) {
    Struct s = new Struct(row).put("id", (long) id).put("state", state).put("total", new BigDecimal(id * 37).movePointLeft(2)).put("changed", id * 1_000_000L).put("created", "2026-01-0" + (1 + id % 9) + "T00:00:00Z");
    if (id % 2 == 0) {
      s.put("details", "{\"n\": " + id + "}").put("due", 20_000 + id);
      s.put("weight", VariableScaleDecimal.fromLogical(row.field("weight").schema(), new BigDecimal(id).movePointLeft(id % 4)));
    }
    return s;
  }
}
