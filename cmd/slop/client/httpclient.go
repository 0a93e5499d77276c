package client

import (
	"errors"
	"io/fs"
	"net"
	"net/url"

	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
)

// NewAPIClient returns a client of a running engine with the rights of one token. The address must be on this machine,
// so that a planted run.json cannot send the token elsewhere.
func NewAPIClient(info site.EngineInfo, right access.Right) (*hookclient.Client, error) {
	base, err := url.Parse(info.Hooks)
	if err != nil || base.Scheme != "http" || !isLoopback(base.Hostname()) {
		return nil, exit.Errorf(exit.Failed, "the engine's address %q is not on this machine", info.Hooks)
	}
	token := ""
	if info.Tokens != "" {
		token, err = site.ReadToken(info.Tokens, string(right))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Errorf(exit.Failed, "%w", err)
		}
	}
	client, err := hookclient.New(hookclient.Options{BaseURL: info.Hooks, Token: token})
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "%w", err)
	}
	return client, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
