import java.io.IOException;

import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroCollector;
import org.apache.avro.mapred.AvroJob;
import org.apache.avro.mapred.AvroMapper;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.trevni.avro.AvroTrevniOutputFormat;

/**
 * Converts one Avro file to Trevni files as Hadoop MapReduce does it: a job of maps alone on the local runner,
 * each of which copies its split to an AvroTrevniOutputFormat.
 *
 * <p>usage: TrevniJob INPUT.avro OUTPUT CODEC MAPS TEMP
 */
public final class TrevniJob {
  /** The runner's own splits are blocks of this size; one split a file would leave all but one processor idle. */
  private static final long SPLIT = 32L << 20;

  /** The size at which the output format ends a file. */
  private static final long FILE = 1L << 30;

  /** Hands each row on. */
  public static final class Copy extends AvroMapper<GenericRecord, GenericRecord> {
    @Override
    public void map(GenericRecord row, AvroCollector<GenericRecord> out, Reporter reporter) throws IOException {
      out.collect(row);
    }
  }

  public static void main(String[] args) throws IOException {
    Path input = new Path(args[0]);
    JobConf job = new JobConf(TrevniJob.class);
    Schema schema = schemaOf(new java.io.File(args[0]));
    AvroJob.setInputSchema(job, schema);
    AvroJob.setOutputSchema(job, schema);
    AvroJob.setMapperClass(job, Copy.class);
    job.setNumReduceTasks(0);
    job.setOutputFormat(AvroTrevniOutputFormat.class);
    AvroTrevniOutputFormat.setMeta(job, "trevni.codec", args[2]);
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    job.setLong("fs.local.block.size", FILE);
    job.setNumMapTasks((int) (input.getFileSystem(job).getFileStatus(input).getLen() / SPLIT) + 1);
    job.setInt("mapreduce.local.map.tasks.maximum", Integer.parseInt(args[3]));
    job.set("hadoop.tmp.dir", new java.io.File(args[4]).getAbsolutePath());
    JobClient.runJob(job);
  }

  private static Schema schemaOf(java.io.File file) throws IOException {
    try (DataFileReader<Object> reader = new DataFileReader<>(file, new GenericDatumReader<>())) {
      return reader.getSchema();
    }
  }
}
