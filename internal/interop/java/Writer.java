import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.avro.AvroColumnWriter;

/**
 * Writes a Trevni file with Java's AvroColumnWriter, as totrevni does, but with a checksum, and with maps: their keys are given as
 * String, for which the writer asks, and in the order of the Avro file.
 */
final class Writer {
  private Writer() {}

  static long write(String codec, String checksum, File avro, File trv) throws IOException {
    try (DataFileReader<Object> in = new DataFileReader<>(avro, new OrderedMaps())) {
      ColumnFileMetaData meta = new ColumnFileMetaData();
      meta.setCodec(codec).setChecksum(checksum);
      AvroColumnWriter<Object> out = new AvroColumnWriter<>(in.getSchema(), meta);
      long rows = 0;
      for (; in.hasNext(); rows++) {
        out.write(in.next());
      }
      out.writeTo(trv);
      return rows;
    }
  }

  private static final class OrderedMaps extends GenericDatumReader<Object> {
    OrderedMaps() {
      super(null, null, new GenericData().setFastReaderEnabled(false)); // the fast reader does not call the methods below
    }

    @Override
    protected Object newMap(Object old, int size) {
      return new LinkedHashMap<String, Object>();
    }

    @Override
    @SuppressWarnings("unchecked")
    protected void addToMap(Object map, Object key, Object value) {
      ((Map<String, Object>) map).put(key.toString(), value);
    }
  }
}
