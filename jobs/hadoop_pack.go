package jobs

import (
	"context"
	"errors"
	"fmt"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/pack"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// pack decides what goes into which file, and lays them all out.
func (p *partition) pack(ctx context.Context) error {
	defer p.doing.Begin("laying out partition %d", p.number)()
	ro := p.reduceOptions(nil)
	fixed, err := ro.HeaderSize()
	if err != nil {
		return err
	}
	packer, err := pack.NewPart(p.of.First, p.of.End, p.o.fileLimit(), fixed)
	if err != nil {
		return exit.Refused("%w", err)
	}
	total := int64(0)
	for i, s := range p.part.Splits {
		total += s.Bytes
		if err := packer.Done(p.of.First+i, &mapper.Result{Rows: s.Rows, Bytes: s.Bytes}); err != nil {
			return err
		}
	}
	if limit := p.o.fileLimit(); limit > 0 { // each file's stage lives until all are written
		ro.StageMemory = max(ro.StageMemory/(total/limit+1), 4*units.KiB)
	}
	for last := [][]byte(nil); !packer.Ended(); {
		g, err := p.group(ctx, packer, last, &ro)
		if err != nil {
			return err
		}
		if len(p.groups) == 0 {
			p.report.First = edges(g.First())
		}
		last = g.Last()
		p.report.Last = edges(last)
		p.groups = append(p.groups, g)
		if limit := p.o.fileLimit(); limit > 0 && g.Size() > limit && g.Rows() > 1 {
			return p.tooLarge(g)
		}
	}
	p.report.Over = packer.Over
	p.o.Log.Debug("laid out", "partition", p.number, "files", len(p.groups), "layouts", packer.Layouts)
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
	seg := p.job.plan.Splits[at][0]
	return exit.Refused("%s: bytes %d to %d make a file of %d bytes, larger than --file-size %d: engine hadoop ends files between Avro blocks only; a larger --file-size, or the engine local, would do",
		p.job.plan.Inputs[seg.Input].Path, seg.Start, seg.End, g.Size(), p.o.FileSize)
}

// group lays the next group out.
func (p *partition) group(ctx context.Context, packer *pack.Part, last [][]byte, ro *reducer.Options) (g *reducer.Group, err error) {
	for {
		rng, ok := packer.Next()
		if !ok {
			return nil, errors.Join(fmt.Errorf("jobs: partition %d: nothing to pack", p.number), closeGroup(g))
		}
		rng.After = last
		if g == nil {
			g, err = reducer.Layout(ctx, arriving{p.part}, rng, ro)
		} else {
			err = g.Resize(ctx, rng)
		}
		if err != nil {
			return nil, errors.Join(err, closeGroup(g))
		}
		if packer.Laid(g.Size()) {
			return g, nil
		}
	}
}

func closeGroup(g *reducer.Group) error {
	if g == nil {
		return nil
	}
	return g.Close()
}

func edges(values [][]byte) (all []edge) {
	for _, v := range values {
		all = append(all, append(edge(nil), v...))
	}
	return all
}

// fits refuses a partition that memory is too small for, with that many files at the least.
func (p *partition) fits(files int) error {
	need := int64(files)*fileMemory + p.part.Runs()*runMemory + p.part.Notes()
	if room := p.memory.Shuffle + p.memory.Stage + int64(p.job.groups())*p.memory.Group; need > room {
		return exit.Refused("partition %d has %d files, which are written at the same time, and %d runs: they need %s of the %s that --memory %s leaves; more --partitions, or more --memory, would do",
			p.number, files, p.part.Runs(), units.Size(need), units.Size(room), units.Size(p.o.Memory))
	}
	return nil
}
