// Package exit has the exit statuses of the programs, which cron and schedulers see, and
// errors with an exit status. Both commands and all packages below jobs use it.
//
//	err --Code--> 0, 1, 2, 3, 4, 75, 130, 143
package exit
