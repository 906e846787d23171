#!/bin/bash
# Writes the .trv fixtures: testdata/gen/totrevni.sh JAR DIR, JAR being avro-tools-1.12.1.jar. One JVM for all; a file
# trevni/java-1.12.1-CODEC/NAME.trv is what `java -jar JAR totrevni --codec CODEC avro/NAME.avro FILE` writes, one in
# trevni/java-1.12.1-writer-CODEC-CHECKSUM/ what AvroColumnWriter does, which takes maps too (internal/interop/java).
# Fixtures that Java cannot write are listed, and passed over; so are those whose rows are another's.
set -euo pipefail
jar=$1 top=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac -d "$work" -cp "$jar" "$(dirname "$0")"/../../internal/interop/java/*.java

jobs() { # PATTERN FOLDER VERB ARGUMENTS...
  local folder=$top/trevni/java-1.12.1-$2 words=$(printf '%s\t' "${@:4}")
  mkdir -p "$folder"
  for avro in "$top"/avro/*.avro; do
    name=$(basename "$avro" .avro)
    [[ $name =~ $1 && ! $name =~ flat-|concat|one-block|trades-[^n]|events-[^n] ]] || continue
    printf '%s\t%s\t%s%s\t%s\n' "$3" "$name" "$words" "$avro" "$folder/$name.trv"
  done
}
few='^fastavro.*-(arrays|booleans|flat|nested|nulls|primitives|runs|top-long|weather-zstandard|zero-bytes|zero-rows)$'
maps='(events|maps|map|trades|unions|negative-counts)(-null|-snappy|-deflate)?$'
{
  jobs . null totrevni null
  for codec in snappy deflate bzip2; do
    jobs "$few" $codec totrevni $codec
  done
  jobs "$maps" writer-null-null write null null
  jobs "$few" writer-snappy-crc32 write snappy crc32
  name=java-1.12.1-null-crc32-of-zeros
  printf 'write\t%s\tnull\tcrc32\t%s\t%s\n' $name "$top/avro/fastavro-1.13.1-top-long.avro" "$top/broken/$name.trv"
} | java -cp "$work:$jar" Interop 2>"$work/log" | grep -v '^OK' || true
