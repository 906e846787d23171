package listing

import "avro2trevni/internal/jobtest"

var (
	must     = jobtest.Must
	tree     = jobtest.Tree
	wantExit = jobtest.WantExit
)
