package jobs

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/hadoop"
)

// notCarried are the options that tasks of engine hadoop are not told, and why.
var notCarried = map[string]string{
	"Inputs": "the plan has them", "Files": "the plan has them", "FilesFrom": "the plan has them",
	"IncludeFiles": "the plan has the inputs", "ExcludeFiles": "the plan has the inputs", "MinAge": "the plan has the inputs",
	"RequireSuccess": "the plan has the inputs", "MaxInputs": "the plan has the inputs",
	"Meta": "the plan has it, with what the inputs carry", "SplitSize": "the plan has it", "Engine": "it is hadoop", "Hadoop": "of the driver",
	"IfExists": "the driver publishes", "Changed": "the driver publishes", "ExpectRecords": "the driver counts", "MaxSkipped": "the driver counts",
	"Workers": "a task has one", "TempDirs": "a task has its node's", "TempLimit": "a task has its node's",
	"RowGroupSize": "the plan has the splits", "Summary": "the driver writes it",
	"SortBy": "refused", "PartitionBy": "refused", "MaxPartitions": "refused",
	"Report": "the driver writes it", "Progress": "a process's own", "Log": "a process's own", "FS": "a process's own",
	"Keytab": "a file that each task has a copy of", "hooks": "of tests",
	"S3": "tasks read HDFS", "S3Lock": "tasks read HDFS", "S3Lease": "tasks read HDFS", "merges": "of --compact, which runs here",
}

// Each option is one that tasks heed, and then it reaches them, or is known not to be.
func TestOptionsReachTasks(t *testing.T) {
	full := Options{Meta: []ocf.Meta{{Key: "k"}}, SplitSize: 7}
	carried := reflect.TypeFor[hadoop.TaskOptions]()
	options := reflect.ValueOf(&full).Elem()
	for i := range options.NumField() {
		name := options.Type().Field(i).Name
		_, heeded := carried.FieldByName(name)
		if why := notCarried[name]; heeded == (why != "") {
			t.Errorf("option %s: tasks heed it: %v; why not: %q", name, heeded, why)
		}
		if heeded {
			fill(t, options.Field(i), i+1)
		}
	}
	plan := &hadoop.Plan{Meta: full.Meta, SplitSize: full.SplitSize}
	hadoop.Carry(&plan.Options, &full)
	text, err := json.Marshal(plan)
	must(t, err)
	got := new(hadoop.Plan)
	must(t, json.Unmarshal(text, got))
	full.Engine = EngineHadoop
	if o := ofTask(got); !reflect.DeepEqual(*o, full) {
		t.Errorf("tasks have %+v\nwant %+v", *o, full)
	}
}

// fill sets a field to a value that no other has.
func fill(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("value " + string(rune('a'+n)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.ValueOf(slices.Repeat([]string{"item " + string(rune('a'+n))}, 2)))
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}
