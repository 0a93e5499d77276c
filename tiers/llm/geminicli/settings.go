package geminicli

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/mcptools"
	"manualslop/tiers/llm/program"
)

// Harmless is the only built-in tool that the program keeps when it is offered none of ours: it
// finds files by name in the folder in which it runs, which is empty. Without any tool, the program
// sends an empty list of functions, which the API rejects.
const Harmless = "glob"

// Server is the name of our MCP server in the program's settings.
const Server = "slop"

// prefix is the beginning of the names that the program gives to the functions of the server's
// tools.
const prefix = "mcp_" + Server + "_"

// object is a section of the settings.
type object map[string]any

// settings disable everything in the program that could act: all tools except the named ones, all
// MCP servers except the given ones, and the user's hooks. They are written to the folder in which
// the program runs, and take precedence over the user's settings but not over those of the
// machine. The program ends after that many turns of its model, or after as many as it wants if turns
// is -1.
//
// The program takes @NAME anywhere in a prompt, even in the text of a file, as a reference to a
// file or an agent. It then rewrites the prompt and drops line breaks between references. With
// agents and the file search disabled and all files ignored (see [Files]), it never finds one.
func settings(tools []string, allowed string, servers object, turns int) string {
	out, err := json.Marshal(object{
		"tools":      object{"core": tools},
		"mcp":        object{"allowed": []string{allowed}},
		"mcpServers": servers,
		"model":      object{"maxSessionTurns": turns},
		"general":    object{"checkpointing": object{"enabled": false}},
		"context": object{"includeDirectoryTree": false, "fileFiltering": object{"respectGeminiIgnore": true,
			"enableRecursiveFileSearch": false}},
		"experimental": object{"enableAgents": false},
		"hooksConfig":  object{"enabled": false},
	})
	if err != nil {
		return "{" // not JSON: the program refuses to start
	}
	return string(out)
}

// Files returns the files that a run of the program finds in its folder when it is offered no tools of
// ours.
func Files() map[string]string { return files(settings([]string{Harmless}, "none", object{}, -1)) }

// filesFor returns the files of a run that is offered our tools by this server.
func filesFor(server *mcptools.Server, tools []llm.Tool) map[string]string {
	functions := make([]string, len(tools))
	for i, tool := range tools {
		functions[i] = prefix + mcptools.Function(tool.Name)
	}
	return files(settings(functions, Server, object{Server: object{"httpUrl": server.URL(), "headers": server.Headers(),
		"trust": true}}, 1))
}

func files(settings string) map[string]string {
	return map[string]string{".gemini/settings.json": settings, ".gemini/system.md": program.System,
		".geminiignore": "*\n"}
}

// Variables returns the variables that make the program use what [Files] puts into its folder.
func Variables(folder string) map[string]string {
	return map[string]string{
		"GEMINI_CLI_HOOK_CONTEXT": "manual_slop", "GEMINI_CLI_TRUST_WORKSPACE": "true",
		"GEMINI_SYSTEM_MD": filepath.Join(folder, ".gemini", "system.md"),
	}
}

// direct returns the variable that keeps requests to our server away from a proxy.
func direct() map[string]string {
	direct := cmp.Or(os.Getenv("NO_PROXY"), os.Getenv("no_proxy"))
	switch direct {
	case "*":
	case "":
		direct = "127.0.0.1"
	default:
		direct += ",127.0.0.1"
	}
	return map[string]string{"NO_PROXY": direct}
}

// instructions tell the model how to call tools.
const instructions = "# Calls of tools\n\nYour tools are the functions whose names begin with " + prefix +
	"; where a text names the tool NAME, it is the function " + prefix + "NAME.\n\n" +
	"- Call the functions themselves, several at once if none needs the result of another.\n" +
	"- Results come in the next message. Never write a call or a result as text: blocks in the conversation below show " +
	"earlier calls.\n" +
	"- An answer without a call is final."
