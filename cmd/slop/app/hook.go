package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/hookclient"
)

// hookTarget is the gateway that a call goes to, and the token and session to use.
type hookTarget struct {
	url, tokenFile, session, reader string
	limit                           time.Duration
	repeat                          int
}

func hookCommand(g *site.Flags) *cobra.Command {
	var to hookTarget
	cmd := &cobra.Command{
		Use:   "hook METHOD [ARG…]",
		Short: "Call a method of the Hook API's client",
		Long: `Hook calls one method of the Hook API's client, by its name in Manual Slop's
ApiHookClient, and prints the result as JSON, or nothing if it is null. It uses
the engine of the data folder with your token, or --url. A value argument is
JSON, or text if it does not parse as JSON; times are in seconds. get_gui lists the
fields, buttons and callbacks.

Methods:
` + hookMethodList() + `
Exit status: 1 if the gateway refuses the call, or if a waiting method times
out.`,
		Example: `  slop hook get_mma_status
  slop hook set_value mma_epic_input "make the tests pass"
  slop hook click btn_mma_plan_epic
  slop hook wait_for_value mma_status '"done"' 60
  slop hook --url http://127.0.0.1:8999 get_status`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completeHook(cmd.Context(), g, to, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return callHook(cmd.Context(), g, to, args[0], args[1:])
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&to.url, "url", "", "use the gateway at `URL` instead of the data folder's engine")
	cmd.Flags().StringVar(&to.tokenFile, "token-file", "", "send the token in `FILE`; with --url and without this flag, no token is sent")
	cmd.Flags().StringVar(&to.session, "session", "", "use session `ID` instead of the current one")
	cmd.Flags().StringVar(&to.reader, "client", "", "read the event queue of the client `NAME`")
	cmd.Flags().DurationVar(&to.limit, "timeout", 0, "give up after this `TIME`, such as 90s; 0 waits as long as the "+
		"method does")
	cmd.Flags().IntVar(&to.repeat, "retries", hookclient.DefaultMaxRetries,
		"resend a request that did not arrive, up to `N` times")
	return cmd
}

// hookMethodList returns the methods with their arguments, for the help.
func hookMethodList() string {
	var b strings.Builder
	for _, m := range hookclient.Methods() {
		b.WriteString("  " + m.Usage() + "\n      " + m.Doc + "\n")
	}
	return b.String()
}

// callHook calls one method and prints its result.
func callHook(ctx context.Context, g *site.Flags, to hookTarget, name string, args []string) error {
	method, ok := hookclient.FindMethod(name)
	if !ok {
		return exit.Errorf(exit.Usage, "unknown method %q; nearest: %s; `slop hook --help` lists all methods",
			term.Visible(name), strings.Join(nearestMethods(name), ", "))
	}
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		_, err := fmt.Fprintf(g.Out, "slop hook %s\n\n%s\n", method.Usage(), method.Doc)
		return err
	}
	if err := method.Check(args); err != nil {
		return exit.Errorf(exit.Usage, "%w; usage: slop hook %s", err, method.Usage())
	}
	client, err := hookClient(g, to)
	if err != nil {
		return err
	}
	defer client.Close()
	if to.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, to.limit)
		defer cancel()
	}
	out, err := method.Call(ctx, client, args)
	if errors.Is(err, context.DeadlineExceeded) {
		return exit.Errorf(exit.Failed, "%s: no answer within %s", name, to.limit)
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "%s: %w", name, err)
	}
	return printHook(g, out)
}

// hookClient returns a client of the named gateway, or else of the data folder's engine.
func hookClient(g *site.Flags, to hookTarget) (*hookclient.Client, error) {
	o := hookclient.Options{BaseURL: to.url, TokenFile: to.tokenFile, Session: to.session, Reader: to.reader,
		MaxRetries: to.repeat}
	if to.repeat <= 0 {
		o.MaxRetries = -1
	}
	if to.url == "" {
		p, err := g.Place()
		if err != nil {
			return nil, err
		}
		info, err := site.FindEngine(p.Data)
		if errors.Is(err, site.ErrNoEngine) {
			return nil, errors.New("no engine is running here; start one with `slop serve`, or name a gateway with --url")
		}
		if err != nil {
			return nil, err
		}
		if _, err := client.NewAPIClient(info, access.RightRead); err != nil { // checks that the address is on this machine
			return nil, err
		}
		o.BaseURL = info.Hooks
		if o.TokenFile == "" && info.Tokens != "" && p.Config.Hooks.Auth != core.AuthNone {
			o.TokenFile = filepath.Join(info.Tokens, access.TokenFile(access.RightHuman))
		}
	}
	client, err := hookclient.New(o)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%w", err)
	}
	return client, nil
}

// printHook prints a result as JSON: on one line with --json, else indented, and then nothing for null.
func printHook(g *site.Flags, out any) error {
	if g.JSON {
		return g.PrintLine(out)
	}
	if out == nil {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	if !g.Quiet {
		fmt.Fprint(g.Out, visibleJSON(b.String()))
	}
	return nil
}

// visibleJSON escapes characters in JSON that would control a terminal. Outside of strings, the only control
// characters in JSON are line ends.
func visibleJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || term.Visible(string(r)) == string(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// nearestMethods returns the method names most like name, the most similar first.
func nearestMethods(name string) []string {
	var names []string
	for _, m := range hookclient.Methods() {
		names = append(names, m.Name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return config.EditDistance(name, a) - config.EditDistance(name,
			b)
	})
	return names[:3]
}

// completeHook completes methods, and after a method the fields, buttons or callbacks of the running engine.
func completeHook(ctx context.Context, g *site.Flags, to hookTarget, args []string) []string {
	if len(args) == 0 {
		var names []string
		for _, m := range hookclient.Methods() {
			names = append(names, cobra.CompletionWithDesc(m.Name, m.Doc))
		}
		return names
	}
	named := map[string]func(hookclient.GUI) []string{
		"get_value": fieldNames, "get_text_value": fieldNames, "set_value": fieldNames, "wait_for_value": fieldNames,
		"click": buttonNames, "custom_callback": callbackNames,
	}[args[0]]
	if named == nil || len(args) > 1 {
		return nil
	}
	client, err := hookClient(g, to)
	if err != nil { // without an engine there is nothing to complete
		return nil
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, command.CompletionTime)
	defer cancel()
	page, err := client.GetGUI(ctx)
	if err != nil {
		return nil
	}
	return named(page)
}

func fieldNames(page hookclient.GUI) []string {
	var names []string
	for _, f := range page.Fields {
		names = append(names, cobra.CompletionWithDesc(f.Name, f.Doc))
	}
	return names
}

func buttonNames(page hookclient.GUI) []string {
	var names []string
	for _, b := range page.Buttons {
		names = append(names, cobra.CompletionWithDesc(b.ID, b.Doc))
	}
	return names
}

func callbackNames(page hookclient.GUI) []string {
	var names []string
	for _, c := range page.Callbacks {
		names = append(names, cobra.CompletionWithDesc(c.Name, c.Doc))
	}
	return names
}
