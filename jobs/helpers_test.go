package jobs

import (
	"os"

	"avro2trevni/internal/jobtest"
)

var (
	must         = jobtest.Must
	wantExit     = jobtest.WantExit
	tree         = jobtest.Tree
	files        = jobtest.Files
	left         = jobtest.Left
	keys         = jobtest.Keys
	digest       = jobtest.Digest
	sameAsReport = jobtest.SameAsReport
)

// stride says which of the calls of a job are failed: each with FAULTS=all, else some 20.
func stride(calls int) int {
	if os.Getenv("FAULTS") == "all" {
		return 1
	}
	return 1 + calls/20
}
