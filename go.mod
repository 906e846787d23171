module avro2trevni

go 1.26

require github.com/klauspost/compress v1.20.3

require (
	github.com/golang/snappy v1.0.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/linkedin/goavro/v2 v2.15.0 // indirect
	github.com/twmb/avro v1.9.0 // indirect
	github.com/ulikunitz/xz v0.5.17 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
