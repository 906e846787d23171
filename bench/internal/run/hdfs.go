package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/bench/internal/report"
	"avro2trevni/internal/hadooptest"
)

// hdfsBench measures conversions on HDFS against the same on local files, and against
// what the client alone takes to move the same bytes, in turns. HDFS is one NameNode
// and one DataNode on this machine, which they share with the conversion.
//
//	local    a.avro --convert--> out/
//	hdfs     hdfs://.../a.avro --convert--> hdfs://.../out
//	client   hdfs://.../a.avro --> nothing; a file as large as the output --> hdfs://...
//	allowed  1.5 x local + client, of the same round
type hdfsBench struct {
	h      *Harness
	c      *hadooptest.Cluster
	client *hdfs.Client
	input  string
	output string // local, of the round before
}

const (
	hdfsInput  = "/in.avro"
	hdfsOutput = "/out"
	hdfsMoved  = "/moved"
)

func HDFSVerb(ctx context.Context, args []string) error {
	m, err := NewMeasuring("hdfs", args, true)
	if err != nil {
		return err
	}
	return m.Measure(ctx, []string{"hdfs"}, []string{"hdfs"}, func(h *Harness, j *report.Journal) (err error) {
		input := m.Input
		if input == "" {
			input = h.Data("lineitem-snappy.avro")
		}
		c, stop, err := hadooptest.Run(hadooptest.Options{})
		defer stop()
		if err != nil {
			return err
		}
		client, err := hdfs.NewClient(hdfs.ClientOptions{Addresses: []string{c.NameNodeAddress}, User: "bench"})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, client.Close()) }()
		b := &hdfsBench{h: h, c: c, client: client, input: input, output: filepath.Join(h.Work, "local")}
		start := time.Now()
		r, err := b.run(ctx)
		if err != nil {
			return err
		}
		r.Seconds = time.Since(start).Seconds() // the daemons' time is no other's: it isn't told
		return j.PutCase(r)
	})
}

// run measures in turns, after a round that warms up.
func (b *hdfsBench) run(ctx context.Context) (report.CaseResult, error) {
	size, err := TreeSize(b.input)
	r := report.CaseResult{
		Name: "hdfs", What: "from HDFS to HDFS, one DataNode", Input: filepath.Base(b.input), InputBytes: size,
		Figures: []report.Figure{{Name: "HDFS, of 1.5 times local and the client's time", Measure: "wall", Of: "hdfs", To: "allowed", AtMost: 1}},
	}
	if err == nil {
		err = b.put(b.input, hdfsInput)
	}
	for i := 0; i <= b.h.Pairs && err == nil; i++ {
		var round []report.Outcome
		if round, err = b.round(ctx); i == 0 {
			r.Contenders = round
			for k := range r.Contenders {
				r.Contenders[k].Samples = nil
			}
			continue
		}
		for k := range round {
			r.Contenders[k].Samples = append(r.Contenders[k].Samples, round[k].Samples...)
		}
	}
	for k := range r.Contenders {
		r.Contenders[k].Median = report.MedianSample(r.Contenders[k].Samples)
	}
	for i := range r.Figures {
		r.Figures[i].Fill(r.Contenders)
	}
	return r, errors.Join(err, os.RemoveAll(b.output))
}

// round runs each once.
func (b *hdfsBench) round(ctx context.Context) ([]report.Outcome, error) {
	local := Job{Command: []string{b.h.Ours, b.input, b.output}, Output: b.output}
	if err := local.Clean(); err != nil {
		return nil, err
	}
	l, err := Measure(ctx, local)
	if err != nil {
		return nil, err
	}
	if err := b.client.RemoveAll(hdfsOutput); err != nil {
		return nil, err
	}
	remote := Job{Command: []string{b.h.Ours, b.c.URI() + hdfsInput, b.c.URI() + hdfsOutput}}
	if err := remote.Clean(); err != nil {
		return nil, err
	}
	h, err := Measure(ctx, remote)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := b.move(); err != nil {
		return nil, err
	}
	moved := report.Sample{Wall: time.Since(start).Seconds()}
	allowed := report.Sample{Wall: 1.5*l.Wall + moved.Wall}
	return []report.Outcome{
		{Name: "local", Command: b.h.named(local.Command, b.input), Samples: []report.Sample{l}},
		{Name: "hdfs", Command: []string{"convert", "hdfs://localhost" + hdfsInput, "hdfs://localhost" + hdfsOutput}, Samples: []report.Sample{h}},
		{Name: "client", Samples: []report.Sample{moved}},
		{Name: "allowed", Samples: []report.Sample{allowed}},
	}, nil
}

// move reads the input with the client alone, and then writes the output's files, one
// stream at a time.
func (b *hdfsBench) move() (err error) {
	r, err := b.client.Open(hdfsInput)
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r}, make([]byte, 1<<20))
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	if n != r.Stat().Size() {
		return fmt.Errorf("the client read %d bytes of %d", n, r.Stat().Size())
	}
	if err := b.client.RemoveAll(hdfsMoved); err != nil {
		return err
	}
	if err := b.client.MkdirAll(hdfsMoved, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(b.output, "*.trv"))
	for _, f := range files {
		err = errors.Join(err, b.put(f, hdfsMoved+"/"+filepath.Base(f)))
	}
	return err
}

// put copies a file to HDFS. That the DataNode has not reported its last block yet is
// no failure: all bytes are there.
func (b *hdfsBench) put(local, remote string) error {
	err := b.client.CopyToRemote(local, remote)
	if hdfs.IsErrReplicating(err) {
		return nil
	}
	return err
}
