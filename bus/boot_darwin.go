package bus

import "golang.org/x/sys/unix"

// bootID names this run of the machine; empty if the system does not tell.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
