package publish

import "avro2trevni/internal/jobtest"

var (
	must         = jobtest.Must
	wantExit     = jobtest.WantExit
	files        = jobtest.Files
	leftIn       = jobtest.Left
	keys         = jobtest.Keys
	digest       = jobtest.Digest
	sameAsReport = jobtest.SameAsReport
)
