package app

import "github.com/spf13/cobra"

func benchCommand(g *globals) *cobra.Command { return &cobra.Command{Use: "bench"} }
