import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Copies an Avro file with Java's blocking encoder, whose arrays and maps come in sized blocks: java Blocking IN OUT CODEC. */
public final class Blocking {
  public static void main(String[] args) throws Exception {
    EncoderFactory factory = new EncoderFactory().configureBlockSize(64);
    try (DataFileReader<Object> in = new DataFileReader<>(new File(args[0]), new GenericDatumReader<>());
        DataFileWriter<Object> out = new DataFileWriter<>(new GenericDatumWriter<>(in.getSchema()))) {
      GenericDatumWriter<Object> datums = new GenericDatumWriter<>(in.getSchema());
      byte[] sync = "java's own sync.".getBytes("US-ASCII");
      out.setCodec(CodecFactory.fromString(args[2])).setSyncInterval(2000).create(in.getSchema(), new FileOutputStream(args[1]), sync);
      while (in.hasNext()) {
        ByteArrayOutputStream datum = new ByteArrayOutputStream();
        BinaryEncoder encoder = factory.blockingBinaryEncoder(datum, null);
        datums.write(in.next(), encoder);
        encoder.flush();
        out.appendEncoded(ByteBuffer.wrap(datum.toByteArray()));
      }
    }
  }
}
