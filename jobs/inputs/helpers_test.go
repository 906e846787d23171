package inputs

import "avro2trevni/internal/jobtest"

var (
	must     = jobtest.Must
	wantExit = jobtest.WantExit
)
