package report

// Sample is what one run of one contender took. Times are in seconds, sizes in
// bytes.
type Sample struct {
	Wall   float64 `json:"wall"`   // start to exit, and the output synced
	User   float64 `json:"user"`   // processor time
	System float64 `json:"system"` // processor time in the kernel
	Memory int64   `json:"memory"` // peak resident size, as wait4 tells it
	Output int64   `json:"output"` // all files of the output
	Temp   int64   `json:"temp"`   // most bytes seen in the temporary folder

	// Of scans only.
	Read int64 `json:"read,omitempty"` // bytes that system calls have read
	Disk int64 `json:"disk,omitempty"` // those of them that came from the disk, not from the page cache
}

// MedianSample takes the median of each measure by itself.
func MedianSample(samples []Sample) Sample {
	of := func(get func(Sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = get(s)
		}
		return Median(values)
	}
	return Sample{
		Wall:   of(func(s Sample) float64 { return s.Wall }),
		User:   of(func(s Sample) float64 { return s.User }),
		System: of(func(s Sample) float64 { return s.System }),
		Memory: int64(of(func(s Sample) float64 { return float64(s.Memory) })),
		Output: int64(of(func(s Sample) float64 { return float64(s.Output) })),
		Temp:   int64(of(func(s Sample) float64 { return float64(s.Temp) })),
		Read:   int64(of(func(s Sample) float64 { return float64(s.Read) })),
		Disk:   int64(of(func(s Sample) float64 { return float64(s.Disk) })),
	}
}

// Cpu is the processor time, in seconds.
func (s Sample) CPU() float64 { return s.User + s.System }
