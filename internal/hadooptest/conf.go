package hadooptest

import (
	"encoding/xml"
	"os"
	"path/filepath"
)

// property is one of a configuration file.
type property struct {
	Name  string `xml:"name"`
	Value string `xml:"value"`
}

// writeConf writes a Hadoop configuration file.
func writeConf(name string, conf ...map[string]string) error {
	doc := struct {
		XMLName    xml.Name   `xml:"configuration"`
		Properties []property `xml:"property"`
	}{}
	for _, m := range conf {
		for k, v := range m {
			doc.Properties = append(doc.Properties, property{k, v})
		}
	}
	data, err := xml.MarshalIndent(&doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// log4j sends all logs to standard error, which is each daemon's log file.
const log4j = `log4j.rootLogger=${hadoop.root.logger}
hadoop.root.logger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
`

// hdfsConf is what all daemons of HDFS share. A DataNode is taken for dead after 14
// seconds, where HDFS's defaults wait for ten minutes.
func (c *Cluster) hdfsConf() map[string]string {
	return map[string]string{
		"dfs.namenode.rpc-address":                                  c.NameNodeAddress,
		"dfs.namenode.http-address":                                 c.httpAddress,
		"dfs.namenode.name.dir":                                     "file://" + filepath.Join(c.dir, "name"),
		"dfs.namenode.secondary.http-address":                       "127.0.0.1:0",
		"dfs.namenode.safemode.extension":                           "0",
		"dfs.namenode.heartbeat.recheck-interval":                   "2000",
		"dfs.heartbeat.interval":                                    "1",
		"dfs.namenode.stale.datanode.interval":                      "3000",
		"dfs.namenode.avoid.write.stale.datanode":                   "true",
		"dfs.namenode.write.stale.datanode.ratio":                   "1.0",
		"dfs.namenode.datanode.registration.ip-hostname-check":      "false",
		"dfs.replication":                                           "1",
		"dfs.namenode.redundancy.considerLoad":                      "false", // or a busy DataNode is passed over, and a replica is missing
		"dfs.permissions.enabled":                                   "false",
		"dfs.datanode.du.reserved":                                  "0",
		"dfs.datanode.address":                                      "127.0.0.1:0",
		"dfs.datanode.http.address":                                 "127.0.0.1:0",
		"dfs.datanode.ipc.address":                                  "127.0.0.1:0",
		"dfs.client.block.write.replace-datanode-on-failure.policy": "NEVER",
	}
}

// writeConfs writes the configuration that daemons and clients read.
func (c *Cluster) writeConfs(yarn bool, extra map[string]string) error {
	core := map[string]string{
		"fs.defaultFS":   c.URI(),
		"hadoop.tmp.dir": filepath.Join(c.dir, "tmp"),
	}
	framework := "local" // jobs run in their client
	if yarn {
		framework = "yarn"
	}
	for name, conf := range map[string][]map[string]string{
		"core-site.xml":   {core, extra},
		"hdfs-site.xml":   {c.hdfsConf(), extra},
		"yarn-site.xml":   {c.yarnConf(), extra},
		"mapred-site.xml": {c.mapredConf(framework), extra},
	} {
		if err := writeConf(filepath.Join(c.ConfDir(), name), conf...); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(c.ConfDir(), "log4j.properties"), []byte(log4j), 0o644)
}
