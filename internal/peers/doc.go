// Package peers compares what this project writes with what others' libraries make of it. It
// is a module of its own, so that those libraries are not in the product's module graph. It has tests,
// and in rows a program, which internal/parquettest runs.
package peers
