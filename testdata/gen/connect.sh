#!/bin/bash
# Writes the fixtures made with Kafka Connect's schemas: testdata/gen/connect.sh DIR. Maven fetches the libraries.
set -euo pipefail
top=$(realpath "$1") here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

dependency() { # GROUP ARTIFACT VERSION
  echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version></dependency>"
}
cat >"$work/pom.xml" <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>gen</groupId><artifactId>connect</artifactId><version>1</version>
<dependencies>
$(dependency io.apicurio apicurio-registry-utils-converter 2.6.13.Final)
$(dependency io.debezium debezium-core 2.7.4.Final)
$(dependency org.apache.kafka connect-api 3.7.0)
</dependencies>
</project>
END
mvn -q -f "$work/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/lib"
javac -d "$work" -cp "$work/lib/*" "$here/Connect.java"
java -cp "$work:$work/lib/*" Connect "$top" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
