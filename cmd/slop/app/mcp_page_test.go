package app

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

// snippet is one fenced block of a page: its language and text.
var snippet = regexp.MustCompile("(?s)\n```(json|toml)\n(.*?)\n```")

// commandsIn lists the commands that a configuration has slop run, at any depth.
func commandsIn(v any) (out [][]string) {
	node, is := v.(map[string]any)
	if !is {
		return nil
	}
	if args, given := node["args"].([]any); given && node["command"] == "slop" {
		var words []string
		for _, a := range args {
			word, is := a.(string)
			if !is {
				return [][]string{{"an argument that is not a string"}}
			}
			words = append(words, word)
		}
		out = append(out, words)
	}
	for _, child := range node {
		out = append(out, commandsIn(child)...)
	}
	return out
}

func TestConfigurationsOfMCPClientsParseAndTheirCommandsExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/mcp.md")
	require.NoError(t, err)
	clients, _, found := strings.Cut(string(page), "\n## External servers")
	require.True(t, found)
	blocks, commands := 0, 0
	for _, m := range snippet.FindAllStringSubmatch(clients, -1) {
		blocks++
		var parsed map[string]any
		if m[1] == "toml" {
			require.NoError(t, toml.Unmarshal([]byte(m[2]), &parsed), m[2])
		} else {
			require.NoError(t, json.Unmarshal([]byte(m[2]), &parsed), m[2])
		}
		for _, args := range commandsIn(parsed) {
			commands++
			cmd, rest, err := wholeTree().Find(args)
			require.NoError(t, err)
			require.Equal(t, "slop mcp serve", cmd.CommandPath())
			require.NoError(t, cmd.ParseFlags(rest))
			require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()))
		}
	}
	require.Equal(t, []int{7, 4}, []int{blocks, commands})
}
