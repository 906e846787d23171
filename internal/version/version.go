// Package version says which version of the programs this is, from the build information.
package version

import "runtime/debug"

// Program returns the program's version: that of the module it was built from, with
// the revision if it was built in a checkout, else "devel".
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
