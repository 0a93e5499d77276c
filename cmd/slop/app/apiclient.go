package app

import (
	"errors"
	"io/fs"
	"net"
	"net/url"

	"manualslop/hookgw/access"
	"manualslop/hookgw/hookclient"
)

// newAPIClient speaks to a running engine with the rights of one token. The
// address must be on this machine, so that a planted run.json cannot send the
// token elsewhere.
func newAPIClient(info engineInfo, right access.Right) (*hookclient.Client, error) {
	base, err := url.Parse(info.Hooks)
	if err != nil || base.Scheme != "http" || !isLoopback(base.Hostname()) {
		return nil, failed(exitFailed, "the engine's address %q is not on this machine", info.Hooks)
	}
	token := ""
	if info.Tokens != "" {
		token, err = readToken(info.Tokens, string(right))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, failed(exitFailed, "%w", err)
		}
	}
	client, err := hookclient.New(hookclient.Options{BaseURL: info.Hooks, Token: token})
	if err != nil {
		return nil, failed(exitFailed, "%w", err)
	}
	return client, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
