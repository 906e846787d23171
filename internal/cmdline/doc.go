// Package cmdline has what the command lines of the programs share: flags in groups for
// --help, better messages for wrong flags, completion scripts for shells, and manual pages.
//
//	Groups.Add("Output", ...)  declares flags       --> --help: a title for each group
//	                                                --> --man:  a section for each group
//	Usage(err, flags)          an error of pflag    --> its message, "did you mean --codec?"
//	Closest(word, words)       a mistyped word      --> the word that was meant
//	Completion(args)           completion bash      --> the script of cobra
//
// It knows nothing of jobs and files, and writes only where it is told to.
package cmdline
