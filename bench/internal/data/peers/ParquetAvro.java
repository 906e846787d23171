import java.io.File;
import java.nio.file.Path;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;

/** Converts Avro to Parquet with parquet-avro: ParquetAvro INPUT.avro OUTPUT.parquet CODEC. */
public final class ParquetAvro {
  private ParquetAvro() {}

  public static void main(String[] args) throws Exception {
    PlainParquetConfiguration configuration = new PlainParquetConfiguration();
    configuration.set("parquet.avro.write-old-list-structure", "false"); // which cannot hold nulls
    try (DataFileReader<Object> reader = new DataFileReader<>(new File(args[0]), new GenericDatumReader<>());
        ParquetWriter<Object> writer =
            AvroParquetWriter.<Object>builder(new LocalOutputFile(Path.of(args[1])))
                .withSchema(reader.getSchema())
                .withDataModel(GenericData.get())
                .withConf(configuration)
                .withCompressionCodec(CompressionCodecName.fromConf(args[2]))
                .build()) {
      Object record = null;
      while (reader.hasNext()) {
        record = reader.next(record);
        writer.write(record);
      }
    }
  }
}
