import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.apache.avro.Schema;

/** What a schema becomes where Java's Trevni reader checks what its Avro reader does not: docs/schemas.md. */
final class Mended {
  private Mended() {}

  /** Is the schema of a .trv file that of the .avro file, or what it is to become? */
  static boolean same(Schema got, Schema want) throws IOException {
    if (got.equals(want)) {
      return true;
    }
    JsonNode json = new ObjectMapper().readTree(want.toString());
    nameTop(json, want, got);
    dropDefaults(json, want);
    try {
      return got.equals(new Schema.Parser().parse(json.toString()));
    } catch (RuntimeException e) {
      return false; // it has more that is checked
    }
  }

  /** Is a record's name the other's, or row, or row and a number, where that is empty? */
  static boolean sameName(String got, String want) {
    return got.equals(want) || (want.isEmpty() || want.endsWith(".")) && got.startsWith(want) && got.substring(want.length()).matches("row[0-9]*");
  }

  private static void nameTop(JsonNode json, Schema want, Schema got) {
    if (want.getType() == Schema.Type.UNION && got.getType() == Schema.Type.UNION) {
      for (int i = 0; i < Math.min(json.size(), got.getTypes().size()); i++) {
        nameTop(json.get(i), want.getTypes().get(i), got.getTypes().get(i));
      }
    } else if (want.getType() == Schema.Type.RECORD && sameName(got.getFullName(), want.getFullName())) {
      ((ObjectNode) json).put("name", got.getName());
    }
  }

  /** Leaves out the defaults that are no values of their fields' types. A type that is told by its name was seen where it is defined. */
  private static void dropDefaults(JsonNode json, Schema schema) {
    switch (schema.getType()) {
      case RECORD:
        if (!json.isObject()) {
          return;
        }
        for (Schema.Field f : schema.getFields()) {
          ObjectNode field = (ObjectNode) json.get("fields").get(f.pos());
          if (field.has("default") && !f.schema().isValidDefault(field.get("default"))) {
            field.remove("default");
          }
          dropDefaults(field.get("type"), f.schema());
        }
        return;
      case UNION:
        for (int i = 0; i < json.size(); i++) {
          dropDefaults(json.get(i), schema.getTypes().get(i));
        }
        return;
      case ARRAY:
        dropDefaults(json.get("items"), schema.getElementType());
        return;
      case MAP:
        dropDefaults(json.get("values"), schema.getValueType());
        return;
      default:
    }
  }
}
