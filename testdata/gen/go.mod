module avro2trevni/testdata/gen

go 1.26.0

require github.com/linkedin/goavro/v2 v2.15.0

require github.com/golang/snappy v1.0.0 // indirect
