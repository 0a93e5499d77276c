//go:build !unix

package bench

import "io/fs"

// allocated is the size of a file.
func allocated(info fs.FileInfo) int64 { return info.Size() }
