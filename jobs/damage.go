package jobs

import (
	"fmt"
	"strconv"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/report"
)

// What may be done about an input that is damaged.
const (
	CorruptFail      = "fail"       // the job fails
	CorruptSkipBlock = "skip-block" // blocks that are not whole are left out
	CorruptSkipFile  = "skip-file"  // files that are not whole are left out
)

// maxGaps is the most ranges that a job skips: a bound on what hostile files can make it
// keep and report.
const maxGaps = 100_000

// skips reports whether damage is skipped.
func (o *Options) skips() bool {
	return o.OnCorrupt == CorruptSkipBlock || o.OnCorrupt == CorruptSkipFile
}

// dropHeaders leaves out the inputs whose header cannot be used, if damage is skipped;
// readHeaders has noted those it could not read.
func (p *Plan) dropHeaders(o *Options) error {
	if !o.skips() {
		return nil
	}
	known := schemaTexts{memory: o.Memory}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if in.Known != nil {
			continue
		}
		_, bad, err := known.parse(in)
		if err != nil {
			return err
		}
		if bad != nil {
			in.Known = in.lost(fmt.Errorf("%s: %w", in.Path, bad))
		}
	}
	p.drop(func(in *Input) bool { return in.Known != nil })
	return p.allowed(o)
}

// drop leaves out inputs that are damaged.
func (p *Plan) drop(unwanted func(*Input) bool) {
	p.remove(func(in *Input) bool {
		if !unwanted(in) {
			return false
		}
		p.Dropped = append(p.Dropped, *in)
		return true
	})
}

// allowed returns an error if more is damaged than may be skipped, or if nothing is left. A run
// that adds to an output may have nothing to add: it has its damaged inputs to record.
func (p *Plan) allowed(o *Options) error {
	skipped := p.skipped(o)
	if len(skipped) == 0 {
		return nil
	}
	sum := report.SumSkipped(skipped)
	of := p.Bytes
	for i := range p.Dropped {
		of += p.Dropped[i].Size
	}
	count := sum.SkippedBlocks
	if o.OnCorrupt == CorruptSkipFile {
		count = sum.SkippedFiles
	}
	switch m, err := parseMaxSkipped(o.MaxSkipped); {
	case err != nil:
		return err
	case len(p.Inputs) == 0 && !p.adds:
		return fmt.Errorf("jobs: no input is left, and %d left out as damaged: %s", len(p.Dropped), skipped[0].Cause)
	case m.count >= 0 && count > m.count, m.percent >= 0 && float64(sum.SkippedBytes) > m.percent/100*float64(of):
		return fmt.Errorf("jobs: more is damaged than --max-skipped %s allows: %s; first: %s", o.MaxSkipped, sum.Lost(), skipped[0].Cause)
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

// validateCorrupt checks the options about damage.
func (o *Options) validateCorrupt() error {
	switch o.OnCorrupt {
	case "", CorruptFail:
		if o.MaxSkipped != "" {
			return exit.Usage("max skipped %q: nothing is skipped unless on-corrupt is skip-block or skip-file", o.MaxSkipped)
		}
	case CorruptSkipBlock, CorruptSkipFile:
	default:
		return exit.Usage("on-corrupt %q: must be fail, skip-block or skip-file", o.OnCorrupt)
	}
	_, err := parseMaxSkipped(o.MaxSkipped)
	return err
}
