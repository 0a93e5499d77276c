package bus

import "golang.org/x/sys/unix"

// bootID returns an id of the current boot, or "" if the system does not
// provide one.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
