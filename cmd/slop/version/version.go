// Package version identifies this program: its version, revision and contents.
package version

import (
	"runtime"
	"runtime/debug"
)

// Number is the version of this release; with -dev at the end, the release that this build leads to. The record of
// each session names it.
const Number = "0.2.0-dev"

// Info describes this program.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the revision
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// ReadInfo returns what the build stamped into this program.
func ReadInfo() Info {
	out := Info{Version: "v" + Number, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out.Revision = s.Value
		case "vcs.modified":
			out.Modified = s.Value == "true"
		case "vcs.time":
			out.Time = s.Value
		}
	}
	return out
}

// String returns the version in one line.
func (b Info) String() string {
	s := "slop " + b.Version
	if b.Revision != "" {
		s += " " + b.Revision[:min(12, len(b.Revision))]
	}
	if b.Modified {
		s += " (modified)"
	}
	return s + " " + b.Go + " " + b.OS + "/" + b.Arch
}
