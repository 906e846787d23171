import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/**
 * Asks parquet-java for the rows that have a value in a column, which it finds by statistics, dictionaries, column indexes and bloom
 * filters, and counts them: they must be those that a scan finds. java Filters.java; a job is a line of standard input: NAME, the
 * Parquet file, between tabs; the answer is OK or BAD, the name, and what was seen. Of a file some columns are looked at, and of a
 * column some values.
 */
public final class Filters {
  private Filters() {}

  private static final int COLUMNS = 4;
  private static final int VALUES = 3;

  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, "UTF-8");
    System.setOut(System.err); // whatever a library prints is no answer
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      String[] job = line.split("\t");
      String answer;
      try {
        answer = "OK\t" + job[0] + "\t" + check(Path.of(job[1]));
      } catch (Throwable t) { // an Error too: what crashes one job is that job's answer
        answer = "BAD\t" + job[0] + "\t" + String.valueOf(t).replace('\t', ' ');
      }
      answers.println(answer.replace('\n', ' ').replace('\r', ' '));
    }
  }

  /** Returns how often it asked. */
  private static int check(Path path) throws IOException {
    LocalInputFile file = new LocalInputFile(path);
    Map<List<String>, Map<Object, Integer>> columns = new LinkedHashMap<>();
    try (ParquetReader<Group> reader = new Builder(file).build()) {
      for (Group row = reader.read(); row != null; row = reader.read()) {
        count(columns, List.of(), row.getType(), row);
      }
    }
    int asked = 0;
    for (var column : some(new ArrayList<>(columns.entrySet()), COLUMNS)) {
      String name = String.join(".", column.getKey());
      for (var value : some(new ArrayList<>(column.getValue().entrySet()), VALUES)) {
        int found = 0;
        try (ParquetReader<Group> reader = new Builder(file).withFilter(FilterCompat.get(is(name, value.getKey()))).build()) {
          while (reader.read() != null) {
            found++;
          }
        }
        if (found != value.getValue()) {
          Object shown = value.getKey() instanceof Binary ? ((Binary) value.getKey()).toStringUsingUTF8() : value.getKey();
          throw new IllegalStateException(name + " is " + shown + " in " + found + " rows, not in " + value.getValue());
        }
        asked++;
      }
    }
    return asked;
  }

  /** Counts values of columns that are not repeated, and whose path can be told from its names with dots between. */
  private static void count(Map<List<String>, Map<Object, Integer>> columns, List<String> path, GroupType type, Group group) {
    for (int i = 0; i < type.getFieldCount(); i++) {
      Type field = type.getType(i);
      if (field.isRepetition(Type.Repetition.REPEATED) || field.getName().contains(".") || field.getName().isEmpty()) {
        continue;
      }
      List<String> at = new ArrayList<>(path);
      at.add(field.getName());
      if (group.getFieldRepetitionCount(i) == 0) {
        continue;
      }
      if (!field.isPrimitive()) {
        count(columns, at, field.asGroupType(), group.getGroup(i, 0));
        continue;
      }
      Object v = value(field.asPrimitiveType(), group, i);
      if (v != null) {
        columns.computeIfAbsent(at, k -> new LinkedHashMap<>()).merge(v, 1, Integer::sum);
      }
    }
  }

  /** Null where equality is not that of a scan: NaN, the zeros, booleans. */
  private static Object value(PrimitiveType type, Group group, int i) {
    switch (type.getPrimitiveTypeName()) {
      case INT32:
        return group.getInteger(i, 0);
      case INT64:
        return group.getLong(i, 0);
      case FLOAT:
        float f = group.getFloat(i, 0);
        return f == f && f != 0 ? f : null;
      case DOUBLE:
        double d = group.getDouble(i, 0);
        return d == d && d != 0 ? d : null;
      case BOOLEAN:
        return null;
      default:
        return Binary.fromConstantByteArray(group.getBinary(i, 0).getBytes());
    }
  }

  private static FilterPredicate is(String column, Object v) {
    if (v instanceof Integer) {
      return FilterApi.eq(FilterApi.intColumn(column), (Integer) v);
    } else if (v instanceof Long) {
      return FilterApi.eq(FilterApi.longColumn(column), (Long) v);
    } else if (v instanceof Float) {
      return FilterApi.eq(FilterApi.floatColumn(column), (Float) v);
    } else if (v instanceof Double) {
      return FilterApi.eq(FilterApi.doubleColumn(column), (Double) v);
    }
    return FilterApi.eq(FilterApi.binaryColumn(column), (Binary) v);
  }

  /** Returns n of a list, or all if it has fewer: the first, the last, and others between. */
  private static <T> List<T> some(List<T> all, int n) {
    if (all.size() <= n) {
      return all;
    }
    List<T> out = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      out.add(all.get(i * (all.size() - 1) / (n - 1)));
    }
    return out;
  }

  private static final class Builder extends ParquetReader.Builder<Group> {
    Builder(InputFile file) {
      super(file, new PlainParquetConfiguration());
    }

    @Override
    protected ReadSupport<Group> getReadSupport() {
      return new GroupReadSupport();
    }
  }
}
