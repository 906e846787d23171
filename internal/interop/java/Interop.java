import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.tool.ToTrevniTool;

/**
 * Runs many small jobs of Avro's Java implementation in one JVM. A line of standard input is a job, its words separated by tabs:
 *
 * <pre>
 *   compare  NAME AVRO,... TRV... are the rows of the .trv files, in order, those of the .avro files?
 *   resolve  NAME SCHEMA AVRO,... TRV... the same, with the .avro files' rows resolved to the schema in a file
 *   read     NAME SCHEMA AVRO,... can the .avro files' rows be resolved to it?
 *   avro     NAME AVRO,...        can the .avro files' rows be read?
 *   rows     NAME AVRO AVRO       are the rows of the one file those of the other?
 *   trevni   NAME TRV             can the .trv file's rows be read?
 *   totrevni NAME CODEC AVRO TRV  writes TRV from AVRO, as avro-tools totrevni does
 *   write    NAME CODEC CHECKSUM AVRO TRV  the same with the writer's class, a checksum, and maps
 *   seek     NAME COLUMN TRV      is each value of a column with first values found by a seek?
 * </pre>
 *
 * and is answered by a line on standard output: OK or BAD, the name, and what was seen.
 */
public final class Interop {
  private Interop() {}

  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, "UTF-8");
    System.setOut(System.err); // whatever a library prints is no answer
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      answers.println(answer(line.split("\t")).replace('\n', ' ').replace('\r', ' '));
    }
  }

  private static String answer(String[] job) {
    try {
      return "OK\t" + job[1] + "\t" + run(job[0], Arrays.asList(job).subList(2, job.length));
    } catch (Throwable t) { // an Error too: what crashes one job is that job's answer
      return "BAD\t" + job[1] + "\t" + describe(t);
    }
  }

  private static String run(String verb, List<String> args) throws Exception {
    switch (verb) {
      case "compare":
        return Compare.files(files(args.get(0)), args.subList(1, args.size())) + " rows";
      case "resolve":
        return Compare.files(files(args.get(1)), schema(args.get(0)), args.subList(2, args.size())) + " rows";
      case "read":
        return Compare.read(files(args.get(1)), schema(args.get(0))) + " rows";
      case "avro":
        return Compare.read(files(args.get(0)), null) + " rows";
      case "rows":
        return Compare.avro(files(args.get(0)), files(args.get(1))) + " rows";
      case "trevni":
        return Compare.trevni(new File(args.get(0))) + " rows";
      case "totrevni":
        return totrevni(args.get(0), args.get(1), args.get(2));
      case "write":
        return Writer.write(args.get(0), args.get(1), new File(args.get(2)), new File(args.get(3))) + " rows";
      case "sorted":
        return Sorted.check(args.get(0), files(args.get(1)), args.subList(2, args.size()));
      case "seek":
        return Seek.all(args.get(0), new File(args.get(1))) + " rows";
      default:
        throw new IllegalArgumentException("no such job: " + verb);
    }
  }

  private static Schema schema(String path) throws IOException {
    return new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false).parse(new File(path));
  }

  private static List<File> files(String paths) {
    return Arrays.stream(paths.split(",")).map(File::new).collect(Collectors.toList());
  }

  /** A failed totrevni leaves an empty file behind, which is removed here. */
  private static String totrevni(String codec, String avro, String trv) throws Exception {
    File made = new File(trv);
    try {
      int status = new ToTrevniTool().run(System.in, System.err, System.err, Arrays.asList("--codec", codec, avro, trv));
      if (status != 0) {
        throw new IllegalStateException("status " + status);
      }
    } catch (Throwable t) {
      made.delete();
      throw t;
    }
    return made.length() + " bytes";
  }

  private static String describe(Throwable t) {
    if (t instanceof Compare.Difference) {
      return "differs: " + t.getMessage();
    }
    StackTraceElement[] at = t.getStackTrace();
    return "crashed: " + t + (at.length == 0 ? "" : " at " + at[0]);
  }
}
