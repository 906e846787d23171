// Package exit has the exit statuses of the programs, and errors that stand for one: what
// cron and schedulers see. Both commands and all rooms of jobs end in it.
//
//	err --Code--> 0, 1, 2, 3, 4, 75, 130, 143
package exit
