import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.ColumnValues;

/** Seeks by value in a column with first values: each of its values must be found, as the next one to be read. */
final class Seek {
  private Seek() {}

  static long all(String column, File trv) throws IOException, Compare.Difference {
    try (ColumnFileReader file = new ColumnFileReader(trv)) {
      if (!file.getColumnMetaData(column).hasIndexValues()) {
        throw new Compare.Difference(column + " has no first values");
      }
      List<Comparable<?>> values = new ArrayList<>();
      ColumnValues<?> in = file.getValues(column);
      while (in.hasNext()) {
        values.add(copy((Comparable<?>) in.next()));
      }
      for (int i = values.size() - 1; i >= 0; i -= 1 + i % 7) { // backwards, and not each: every seek reads a block
        seek(file.getValues(column), values.get(i), column + " row " + i);
      }
      return values.size();
    }
  }

  /** Bytes come in a buffer that the reader uses again. */
  private static Comparable<?> copy(Comparable<?> v) {
    if (!(v instanceof ByteBuffer)) {
      return v;
    }
    byte[] bytes = new byte[((ByteBuffer) v).remaining()];
    ((ByteBuffer) v).duplicate().get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void seek(ColumnValues values, Comparable v, String at) throws IOException, Compare.Difference {
    values.seek(v);
    if (!values.hasNext()) {
      throw new Compare.Difference(at + ": a seek of its value finds the end");
    }
    Object got = values.next();
    if (!v.equals(got)) {
      throw new Compare.Difference(at + ": a seek of its value finds another");
    }
  }
}
