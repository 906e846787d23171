import java.io.IOException;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroWrapper;
import org.apache.avro.Schema;
import org.apache.avro.mapred.AvroJob;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TextOutputFormat;
import org.apache.trevni.avro.AvroTrevniInputFormat;

/** Reads Trevni files by Avro's MapReduce input format, and writes each record's first column as text. */
public class ReadTrevni {
  public static class Emit extends MapReduceBase implements Mapper<AvroWrapper<GenericRecord>, NullWritable, Text, NullWritable> {
    public void map(AvroWrapper<GenericRecord> r, NullWritable n, OutputCollector<Text, NullWritable> out, Reporter reporter)
        throws IOException {
      out.collect(new Text(String.valueOf(r.datum().get(0))), NullWritable.get());
    }
  }

  /** Arguments: schema, input folder, output folder, splits asked for. */
  public static void main(String[] args) throws Exception {
    JobConf job = new JobConf(ReadTrevni.class);
    job.setJobName("read-trevni");
    AvroJob.setInputSchema(job, new Schema.Parser().parse(args[0]));
    job.setInputFormat(AvroTrevniInputFormat.class);
    FileInputFormat.setInputPaths(job, new Path(args[1]));
    job.setNumMapTasks(Integer.parseInt(args[3]));
    job.setMapperClass(Emit.class);
    job.setNumReduceTasks(0);
    job.setOutputFormat(TextOutputFormat.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileOutputFormat.setOutputPath(job, new Path(args[2]));
    JobClient.runJob(job);
  }
}
