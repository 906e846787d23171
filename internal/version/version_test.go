package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestDetails(t *testing.T) {
	platform := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	for _, test := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, platform},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "5b0b1f8"}}, "commit 5b0b1f8, " + platform},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "5b0b1f8c2a90ffff"}, {Key: "vcs.time", Value: "2026-11-22T08:01:13Z"}, {Key: "vcs.modified", Value: "false"}},
			"commit 5b0b1f8c2a90 of 2026-11-22T08:01:13Z, " + platform},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "5b0b1f8c2a90ffff"}, {Key: "vcs.modified", Value: "true"}}, "commit 5b0b1f8c2a90 with changes, " + platform},
	} {
		if got := strings.Join(details(&debug.BuildInfo{Settings: test.settings}), ", "); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if got := Long(); !strings.HasPrefix(got, Program()+" (") || !strings.HasSuffix(got, platform+")") {
		t.Error(got)
	}
}
