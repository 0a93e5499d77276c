package app

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo says which program this is.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the revision
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func readBuildInfo() buildInfo {
	out := buildInfo{Version: "unknown", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	if v := info.Main.Version; v != "" {
		out.Version = v
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

// String is the version in one line.
func (b buildInfo) String() string {
	s := "slop " + b.Version
	if b.Revision != "" {
		s += " " + b.Revision[:min(12, len(b.Revision))]
	}
	if b.Modified {
		s += " (modified)"
	}
	return s + " " + b.Go + " " + b.OS + "/" + b.Arch
}

func versionCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Which program this is",
		Long:  `Version prints the version, the revision that it was built from, and what it runs on.`,
		Example: `  slop version
  slop version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := readBuildInfo()
			if g.json {
				return g.printLine(info)
			}
			g.printf("%s\n", info)
			return nil
		},
	}
}
