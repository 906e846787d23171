// Package version says which version of the programs this is, from the build information.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Program returns the program's version: that of the module it was built from, with
// the revision if it was built in a checkout, else "devel".
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// Long returns the version with all that is known of the build:
//
//	v0.1.0 (commit 5b0b1f8c2a90 of 2026-11-22T08:01:13Z, go1.26.8, linux/amd64)
func Long() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return Program() + " (" + strings.Join(details(info), ", ") + ")"
}

func details(info *debug.BuildInfo) []string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	var all []string
	if rev := set["vcs.revision"]; rev != "" {
		commit := "commit " + rev[:min(12, len(rev))]
		if at := set["vcs.time"]; at != "" {
			commit += " of " + at
		}
		if set["vcs.modified"] == "true" {
			commit += " with changes"
		}
		all = append(all, commit)
	}
	return append(all, runtime.Version(), fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH))
}
