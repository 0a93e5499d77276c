package app

import (
	"context"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/site"
	"manualslop/hookgw/hookclient"
)

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
