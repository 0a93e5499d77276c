//go:build !unix

package bench

import "io/fs"

// allocated returns the size of a file.
func allocated(info fs.FileInfo) int64 { return info.Size() }
