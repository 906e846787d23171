package hadoop

import (
	"context"
	"fmt"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/stages"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// pack decides what goes into which file, and lays them all out.
func (p *partition) pack(ctx context.Context) error {
	defer p.w.Doing.Begin("laying out partition %d", p.number)()
	ro := reducer.Options{Format: p.w.Table.Files()}
	limit := p.w.Limit
	ro.Workers, ro.StageMemory, ro.Temp = p.w.Share.Workers, p.w.Share.Stage, p.w.Temp.Stage
	packer, err := p.w.Packer([]pack.Range{p.of}, &ro)
	if err != nil {
		return err
	}
	total := int64(0)
	for i, s := range p.part.Splits {
		total += s.Bytes
		if err := packer.Done(p.of.First+i, &mapper.Result{Rows: s.Rows, Bytes: s.Bytes}); err != nil {
			return err
		}
	}
	if limit > 0 { // each file's stage lives until all are written
		ro.StageMemory = max(ro.StageMemory/(total/limit+1), 4*units.KiB)
	}
	l := stages.Layouts{Source: arriving{p.part}, Pack: packer, Options: &ro, More: func(context.Context) error {
		return fmt.Errorf("jobs: partition %d: nothing to pack", p.number) // all splits are done
	}}
	for {
		g, _, err := l.Next(ctx)
		if err != nil {
			return err
		}
		if g == nil {
			break
		}
		if len(p.groups) == 0 {
			p.report.First = edges(g.First())
		}
		p.report.Last = edges(g.Last())
		if p.groups = append(p.groups, g); l.TooLarge(g) {
			return p.tooLarge(g)
		}
	}
	_, tries, over := packer.Counts()
	p.report.Over = over
	p.w.Log.Debug("laid out", "partition", p.number, "files", len(p.groups), "layouts", tries)
	return nil
}

// tooLarge refuses a file of one split that is larger than a file may be: a file ends
// where a split does, and a split holds whole Avro blocks.
func (p *partition) tooLarge(g *reducer.Group) error {
	at := p.of.First
	for _, before := range p.groups[:len(p.groups)-1] {
		for rows := before.Rows(); rows > 0; at++ {
			rows -= p.part.Splits[at-p.of.First].Rows
		}
	}
	for p.part.Splits[at-p.of.First].Rows == 0 {
		at++
	}
	seg := p.w.Plan.Splits[at][0]
	return exit.Refused("%s: bytes %d to %d make a file of %d bytes, larger than --file-size %d: engine hadoop ends files between Avro blocks only; use a larger --file-size, or the engine local",
		p.w.Plan.Inputs[seg.Input].Path, seg.Start, seg.End, g.Size(), p.w.Limit)
}

func edges(values [][]byte) (all []edge) {
	for _, v := range values {
		all = append(all, append(edge(nil), v...))
	}
	return all
}

// checkMemory refuses a partition for which the memory is too small, with at least that many files.
func (p *partition) checkMemory(files int) error {
	need := int64(files)*fileMemory + p.part.Runs()*(runMemory+p.w.Table.Files().Shape().BlockMemory()) + p.part.Notes()
	if room := p.w.Share.Shuffle + p.w.Share.Stage + int64(p.w.Share.Groups())*p.w.Share.Group; need > room {
		return exit.Refused("partition %d has %d files, which are written at the same time, and %d runs: they need %s of the %s that --memory %s leaves; use more --partitions, or more --memory",
			p.number, files, p.part.Runs(), units.Size(need), units.Size(room), units.Size(p.Plan.Options.Memory))
	}
	return nil
}
