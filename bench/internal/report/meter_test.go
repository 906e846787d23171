package report

import "testing"

func TestBusyOf(t *testing.T) {
	for line, want := range map[string]float64{
		"cpu  100 20 30 4000 500 6 7 8 9 10": 1.71, // all but idle, waiting, and guests, who are in user
		"cpu0 100 20 30 4000 500 6 7 8 9 10": 0,
		"cpu  100 20 30":                     0,
		"cpu  a 20 30 4000 500 6 7 8":        0,
		"":                                   0,
	} {
		if got := busyOf(line); got != want {
			t.Errorf("%q: %v seconds, want %v", line, got, want)
		}
	}
}

// TestMeterLeavesOutOurs checks that this process's own work counts as nobody else's.
func TestMeterLeavesOutOurs(t *testing.T) {
	m := StartMeter()
	before := ourTime()
	for ourTime() <= before { // work, until the system has counted it
	}
	e := m.Effort()
	if e.Seconds <= 0 || e.Others < 0 || e.Others > 1 {
		t.Errorf("effort %+v", e)
	}
	m.busy = 1e-9 // as if others had done all since the machine was started
	if e := m.Effort(); e.Others != 1 {
		t.Errorf("much of others: %v", e.Others)
	}
	m.ours -= 1e9 // all of it ours
	if e := m.Effort(); e.Others != 0 {
		t.Errorf("nothing of others: %v", e.Others)
	}
}
