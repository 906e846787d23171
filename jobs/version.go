package jobs

import "runtime/debug"

// Version returns the program's version: that of the module it was built from, with
// the revision if it was built in a checkout, else "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
