package bus

import (
	"os"
	"strings"
)

// bootID returns an id of the current boot, or "" if the system does not
// provide one.
func bootID() string {
	body, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}
