// Package report has the types of a job's report: the JSON of _SUCCESS and of --report, and
// the sums in it. It does not depend on the plan or the job's options. Names that are not
// UTF-8 are kept as base64.
package report
