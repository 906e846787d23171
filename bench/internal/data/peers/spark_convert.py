"""Converts Avro to Parquet with Spark: spark-submit ... spark_convert.py INPUT.avro OUTPUT CODEC"""
import sys

from pyspark.sql import SparkSession

source, target, codec = sys.argv[1:]
spark = SparkSession.builder.config("spark.sql.parquet.compression.codec", codec).getOrCreate()
spark.read.format("avro").load(source).write.parquet(target)
