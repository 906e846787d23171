package listing

import "avro2trevni/internal/jobtest"

var (
	tree     = jobtest.Tree
	wantExit = jobtest.WantExit
)
