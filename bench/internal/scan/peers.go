package scan

import (
	"strconv"

	"avro2trevni/bench/internal/scanner"
)

// scanPeer is a program that scans; its command lacks what a task adds.
type scanPeer struct {
	name    string
	format  string // of the file that it reads: trevni, avro, parquet
	tool    string // what it needs, of scanTools
	command []string
	single  bool // has one thread however many cores there are
}

// peers are all programs, in the order of tables.
func (s *ScanTools) peers() []scanPeer {
	self := func(name, format string, single bool) scanPeer {
		return scanPeer{name: name, format: format, command: []string{s.self, "scanner", name}, single: single}
	}
	java := func(name, format, kind string) scanPeer {
		return scanPeer{name: name, format: format, tool: "java", single: true,
			command: []string{"java", "-cp", s.classes() + ":" + s.AvroTools(), "Scan", kind}}
	}
	python := func(name string) scanPeer {
		return scanPeer{name: name, format: "parquet", tool: "python", command: []string{s.Python(), s.script("scan.py"), name}}
	}
	return []scanPeer{
		self("ours", "trv", false),
		java("java-trevni", "trv", "trevni"),
		self("parquet-go", "parquet", false),
		python("pyarrow"),
		python("duckdb"),
		self("raw-walk", "avro", false),
		self("twmb", "avro", true),
		java("java-avro", "avro", "avro"),
		self("goavro", "avro", true),
		self("ours-records", "trv", true),
		java("java-trevni-records", "trv", "trevni-records"),
		java("java-avro-records", "avro", "avro-records"),
		self("goavro-records", "avro", true),
	}
}

// columnsFor names columns as a format does.
func columnsFor(format string, columns []scanner.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = map[string]string{"trv": c.Trevni, "avro": c.Path, "parquet": c.Parquet}[format]
	}
	return names
}

// noPerfData keeps a JVM from sharing counters through a file: where a dead one's file
// has its name, it says so on standard output, among the answers.
const noPerfData = "-XX:-UsePerfData"

// start is the whole command for a task.
func (p scanPeer) start(t *scanner.Task, ascii bool) []string {
	command := p.command
	if p.tool == "java" {
		flags := []string{noPerfData}
		if t.Threads == 1 {
			flags = append(flags, "-XX:ActiveProcessorCount="+strconv.Itoa(t.Threads))
		}
		command = append(append(command[:1:1], flags...), command[1:]...)
		if ascii {
			command = append(command, "--ascii")
		}
	}
	return append(command[:len(command):len(command)], t.Args()...)
}
