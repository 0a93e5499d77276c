//go:build !unix

package bus

import "errors"

// freeDisk is not known on this system.
func freeDisk(string) (int64, error) { return 0, errors.ErrUnsupported }
