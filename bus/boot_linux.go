package bus

import (
	"os"
	"strings"
)

// bootID names this run of the machine; empty if the system does not tell.
func bootID() string {
	body, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}
