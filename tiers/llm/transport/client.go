package transport

import (
	"net"
	"net/http"
	"time"
)

// NewClient returns a client for [llm.Endpoint] that all attempts of a process can share, so that
// connections are reused. It uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY as
// [http.ProxyFromEnvironment] does, and no other variables.
func NewClient() *http.Client {
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: MaxHeader,
	}}
}
