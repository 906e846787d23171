import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs commands of Hadoop's clients, one after another, in one JVM. A request is a count of words and the words: a class
 * that is a Tool, and its arguments. An answer is the exit status, and what was written to standard output and error.
 * Counts are of 4 bytes, and stand before the bytes of each text.
 */
public class Commands {
  public static void main(String[] none) throws Exception {
    DataInputStream in = new DataInputStream(System.in);
    DataOutputStream answers = new DataOutputStream(System.out);
    while (true) {
      int words;
      try {
        words = in.readInt();
      } catch (EOFException end) {
        System.exit(0); // threads of the clients may live on
        return;
      }
      String[] command = new String[words];
      for (int i = 0; i < words; i++) {
        command[i] = new String(in.readNBytes(in.readInt()), "UTF-8");
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream(), err = new ByteArrayOutputStream();
      System.setOut(new PrintStream(out, true, "UTF-8"));
      System.setErr(new PrintStream(err, true, "UTF-8"));
      answers.writeInt(run(command));
      for (ByteArrayOutputStream said : new ByteArrayOutputStream[] {out, err}) {
        answers.writeInt(said.size());
        said.writeTo(answers);
      }
      answers.flush();
    }
  }

  /** Runs one command as its main method would, but for the end of the process. */
  private static int run(String[] command) {
    String[] args = new String[command.length - 1];
    System.arraycopy(command, 1, args, 0, args.length);
    Configuration conf = new HdfsConfiguration();
    try {
      return ToolRunner.run(conf, tool(Class.forName(command[0]), conf), args);
    } catch (Throwable e) {
      e.printStackTrace();
      return 1;
    } finally {
      try {
        FileSystem.closeAll(); // they are kept by name, whatever the configuration of the next command
      } catch (Exception e) {
        e.printStackTrace();
      }
    }
  }

  private static Tool tool(Class<?> c, Configuration conf) throws Exception {
    try {
      return (Tool) c.getConstructor(Configuration.class).newInstance(conf);
    } catch (NoSuchMethodException e) {
      Constructor<?> plain = c.getDeclaredConstructor();
      plain.setAccessible(true);
      return (Tool) plain.newInstance();
    }
  }
}
