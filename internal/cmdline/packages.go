package cmdline

// Packages are those whose names errors begin with, for programmers: "jobs: no such input".
// The programs print errors without them. Not among them is schema, which is also the name of
// an option.
var Packages = []string{
	"assembly", "hadoopcmd", "hdfs", "jobs", "mapper", "ocf", "parquet", "record", "reducer", "rowsort", "s3",
	"shuffle", "storage", "streaming", "trevni", "tuple",
}
