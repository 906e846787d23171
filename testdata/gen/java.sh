#!/bin/bash
# Writes the fixtures made with Avro's Java tools: testdata/gen/java.sh JAR DIR, JAR being avro-tools-1.12.1.jar.
# The sync markers of avro-tools are random: its files differ from run to run in those 16 bytes and nothing else.
set -euo pipefail
jar=$1 top=$2 here=$(dirname "$0") maker=java-1.12.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quiet() { # a command's log is shown when it fails
  "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
}
fromjson() { # SHAPE CODEC
  quiet java -jar "$jar" fromjson --codec "$2" --level 6 --schema-file "$work/$1.avsc" "$work/$1.json" >"$top/avro/$maker-$1-$2.avro"
}
random() { # NAME SHAPE CODEC COUNT SEED
  quiet java -jar "$jar" random --codec "$3" --count "$4" --seed "$5" --schema-file "$work/$2.avsc" "$top/avro/$maker-random-$1-$3.avro"
}

${PYTHON:-python3} "$here/tojson.py" "$work"
fromjson events null
fromjson events xz
fromjson nested snappy
fromjson maps deflate
fromjson reused-types bzip2
fromjson flat zstandard
fromjson nulls snappy
fromjson unions-without-maps deflate
fromjson address-book null
fromjson dremel null
random nested nested snappy 100 1
random unions unions-without-maps deflate 200 2
random reused-types reused-types null 60 3
javac -d "$work" -cp "$jar" "$here/Blocking.java"
for shape in arrays maps events; do
  quiet java -cp "$work:$jar" Blocking "$top/avro/fastavro-1.13.1-$shape.avro" "$top/avro/$maker-sized-blocks-$shape-snappy.avro" snappy
done
flat=$top/avro/fastavro-1.13.1-flat-deflate.avro
quiet java -jar "$jar" concat "$flat" "$flat" "$top/avro/$maker-concat-deflate.avro"
