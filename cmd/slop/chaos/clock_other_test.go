//go:build !linux || !amd64

package chaos

import (
	"errors"
	"time"
)

func clockBack(time.Duration) error {
	return errors.New("the clock of one process can be set on Linux on amd64 only")
}
