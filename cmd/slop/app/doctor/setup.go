package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// maxKey limits a key in bytes.
const maxKey = 4 << 10

// SetupCommand returns the command that records the key of a provider.
func SetupCommand(g *site.Flags) *cobra.Command {
	var provider string
	var unchecked bool
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Record the key of a provider and check it",
		Long: `Setup records the key of a provider in credentials.toml in your configuration
folder, which only you may read. It asks for the provider and the key, and asks the
provider for its list of models with it. Nothing is written if the provider refuses
the key, or cannot be reached and --no-check is not given. Other keys in the file
are kept.

Without a terminal give --provider, and the key on standard input. A key is never
taken from the command line, which other users can read. Status 1: the key does not
work or could not be written.`,
		Example: `  slop setup
  slop setup --provider anthropic < key.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return setup(cmd.Context(), g, provider, unchecked)
		},
	}
	cmd.Flags().StringVar(&provider, "provider", "", "record the key of the provider `NAME`")
	cmd.Flags().BoolVar(&unchecked, "no-check", false, "write the key without a request to the provider")
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Sorted(keyed(config.Default())), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("provider", complete); err != nil {
		panic(err) // the flag was just defined
	}
	return cmd
}

// keyed yields the providers with an API that need a key.
func keyed(c config.Config) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, name := range config.ProviderNames(c) {
			if !events.RunsProgram(name) && name != config.ScriptProvider && !config.IsKeyless(name) && !yield(name) {
				return
			}
		}
	}
}

func setup(ctx context.Context, g *site.Flags, provider string, unchecked bool) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	dir := config.UserDir(os.Getenv)
	if dir == "" {
		return exit.Errorf(exit.Failed, "no configuration folder: set HOME or XDG_CONFIG_HOME")
	}
	known := slices.Sorted(keyed(p.Config))
	in := bufio.NewReader(io.LimitReader(g.In, maxKey+1))
	person := term.IsTerminal(g.In)
	if provider == "" && person {
		above, prompt := term.SplitPrompt(g.Err, fmt.Sprintf("provider (%s): ", strings.Join(known, ", ")))
		fmt.Fprint(g.Err, above+prompt)
		line, err := in.ReadString('\n')
		if err != nil {
			return exit.Errorf(exit.Usage, "no provider was given")
		}
		provider = line
	}
	provider = events.ProviderName(strings.TrimSpace(provider))
	if !slices.Contains(known, provider) {
		return exit.Errorf(exit.Usage, "--provider must be one of %s, got %q", strings.Join(known, ", "), provider)
	}
	key, err := readKey(ctx, g, in, provider)
	if err != nil {
		return err
	}
	if !unchecked {
		if err := checkKey(ctx, p.Config, provider, key); err != nil {
			return err
		}
	}
	file, err := config.WriteKey(dir, provider, key)
	if err != nil {
		hint := ""
		if variable := config.KeyVariables()[provider]; variable != "" {
			hint = "; you can set " + variable + " instead"
		}
		return exit.Errorf(exit.Failed, "the key was not written: %w%s", err, hint)
	}
	return sayKey(g, p.Config, provider, file, unchecked)
}

// sayKey prints where the key is, and what else a session with this provider needs.
func sayKey(g *site.Flags, c config.Config, provider, file string, unchecked bool) error {
	if g.JSON {
		return g.PrintLine(map[string]any{"provider": provider, "file": file, "checked": !unchecked})
	}
	state := "the key works"
	if unchecked {
		state = "the key was not checked"
	}
	g.Printf("%s: %s; it is in %s\n", provider, state, term.Visible(file))
	if variable := c.Provider(provider).APIKeyEnv; variable != "" {
		g.Notice("it has no effect while [providers.%s] api_key_env names the variable %s", provider, variable)
	}
	if len(tiersOf(c, provider, "*")) == 0 {
		g.Notice("no tier uses %s yet; name it in config.toml:\n[tiers]\nall = { provider = \"%s\", model = \"…\" }\n"+
			"slop models %s lists models", provider, provider, provider)
	}
	return nil
}

// readKey reads a key, which a terminal does not show.
func readKey(ctx context.Context, g *site.Flags, in *bufio.Reader, provider string) (string, error) {
	var typed string
	file, isFile := g.In.(*os.File)
	if isFile && term.IsTerminal(g.In) {
		fmt.Fprintf(g.Err, "key of %s (not shown): ", provider)
		raw, err := hidden(ctx, int(file.Fd()))
		fmt.Fprintln(g.Err)
		if err != nil {
			return "", exit.Errorf(exit.Failed, "read the key: %w", err)
		}
		typed = raw
	} else {
		raw, err := io.ReadAll(in)
		if err != nil {
			return "", exit.Errorf(exit.Failed, "read the key: %w", err)
		}
		typed = string(raw)
	}
	key := strings.TrimSpace(typed)
	switch {
	case len(typed) > maxKey:
		return "", exit.Errorf(exit.Usage, "the key is over the limit of %d bytes", maxKey)
	case key == "":
		return "", exit.Errorf(exit.Usage, "no key was given; without a terminal it is read from standard input")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", exit.Errorf(exit.Usage, "the key must be one line of visible ASCII characters")
	}
	return key, nil
}

// hidden reads a line from a terminal without showing it. When ctx ends, the terminal echoes input again.
func hidden(ctx context.Context, fd int) (string, error) {
	before, err := xterm.GetState(fd)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := xterm.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case got := <-read:
		return string(got.text), got.err
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), xterm.Restore(fd, before))
	}
}

// checkKey asks the provider for its models with the key.
func checkKey(ctx context.Context, c config.Config, provider, key string) error {
	only := config.Credentials{Keys: map[string]string{provider: key}}
	section := c.Provider(provider)
	section.APIKeyEnv = "" // the new key counts
	c.Providers = map[string]config.Provider{provider: section}
	line := providerLine{Provider: provider}
	all := config.Providers(c, only)
	line.check(ctx, all[provider])
	switch line.Check {
	case checkOK, checkUnknown:
		return nil
	case checkRefused:
		return exit.Errorf(exit.Failed, "%s refuses the key: %s; nothing was written", provider,
			strings.TrimSuffix(term.Visible(line.Detail), "."))
	}
	return exit.Errorf(exit.Failed, "the key could not be checked: %s; nothing was written, --no-check writes it anyway",
		term.Visible(line.Detail))
}
