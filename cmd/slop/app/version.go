package app

import (
	"github.com/spf13/cobra"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/version"
)

func versionCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Long:  `Version prints the version, the revision that it was built from, and what it runs on.`,
		Example: `  slop version
  slop version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := version.ReadInfo()
			if g.JSON {
				return g.PrintLine(info)
			}
			g.Printf("%s\n", info)
			return nil
		},
	}
}
