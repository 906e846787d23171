package damage

import (
	"fmt"
	"strconv"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/report"
)

// What may be done about an input that is damaged.
const (
	Fail      = "fail"       // the job fails
	SkipBlock = "skip-block" // blocks that are not whole are left out
	SkipFile  = "skip-file"  // files that are not whole are left out
)

// maxGaps is the most ranges that a job skips: a bound on what hostile files can make it
// keep and report.
const maxGaps = 100_000

// Policy says what is done about inputs that are damaged.
type Policy struct {
	OnCorrupt  string // [Fail], [SkipBlock] or [SkipFile]; "" for the first
	MaxSkipped string // most blocks, or files, or of the inputs' bytes, as "3%"; "" for no bound
}

// Skips reports whether damage is skipped.
func (p *Policy) Skips() bool {
	return p.OnCorrupt == SkipBlock || p.OnCorrupt == SkipFile
}

// DropHeaders leaves out the inputs whose header cannot be used, if damage is skipped;
// those whose header could not be read are known. The parameter adds says whether the run adds
// to an output.
func (p *Policy) DropHeaders(plan *inputs.Plan, adds bool) error {
	if !p.Skips() {
		return nil
	}
	if err := plan.NoteSchemas(); err != nil {
		return err
	}
	plan.Drop(func(in *inputs.Input) bool { return in.Known != nil })
	return p.Allowed(plan, adds)
}

// Allowed returns an error if more is damaged than may be skipped, or if nothing is left. A run
// that adds to an output may have nothing to add: it has its damaged inputs to record.
func (p *Policy) Allowed(plan *inputs.Plan, adds bool) error {
	skipped := p.Skipped(plan)
	if len(skipped) == 0 {
		return nil
	}
	sum := report.SumSkipped(skipped)
	of := plan.Bytes
	for i := range plan.Dropped {
		of += plan.Dropped[i].Size
	}
	count := sum.SkippedBlocks
	if p.OnCorrupt == SkipFile {
		count = sum.SkippedFiles
	}
	switch m, err := parseMaxSkipped(p.MaxSkipped); {
	case err != nil:
		return err
	case len(plan.Inputs) == 0 && !adds:
		return fmt.Errorf("jobs: no input is left, and %d left out as damaged: %s", len(plan.Dropped), skipped[0].Cause)
	case m.count >= 0 && count > m.count, m.percent >= 0 && float64(sum.SkippedBytes) > m.percent/100*float64(of):
		return fmt.Errorf("jobs: more is damaged than --max-skipped %s allows: %s; first: %s", p.MaxSkipped, sum.Lost(), skipped[0].Cause)
	case sum.Ranges > maxGaps:
		return fmt.Errorf("jobs: %d ranges are damaged, more than the %d that are skipped one by one; first: %s", sum.Ranges, maxGaps, skipped[0].Cause)
	}
	return nil
}

// maxSkipped is a bound of what may be skipped; -1 for none.
type maxSkipped struct {
	count   int64   // blocks, or files
	percent float64 // of the inputs' bytes
}

func parseMaxSkipped(text string) (maxSkipped, error) {
	m := maxSkipped{-1, -1}
	if text == "" {
		return m, nil
	}
	var err error
	if digits, ok := strings.CutSuffix(text, "%"); ok {
		m.percent, err = strconv.ParseFloat(digits, 64)
		if err == nil && (m.percent >= 0 && m.percent <= 100) {
			return m, nil
		}
	} else if m.count, err = strconv.ParseInt(text, 10, 64); err == nil && m.count >= 0 {
		return m, nil
	}
	return m, exit.Usage("max skipped %q: must be a number of blocks (of files, with skip-file), or a percentage of the inputs' bytes such as 0.5%%", text)
}

// Validate checks the policy.
func (p *Policy) Validate() error {
	switch p.OnCorrupt {
	case "", Fail:
		if p.MaxSkipped != "" {
			return exit.Usage("max skipped %q: nothing is skipped unless on-corrupt is skip-block or skip-file", p.MaxSkipped)
		}
	case SkipBlock, SkipFile:
	default:
		return exit.Usage("on-corrupt %q: must be fail, skip-block or skip-file", p.OnCorrupt)
	}
	_, err := parseMaxSkipped(p.MaxSkipped)
	return err
}
