package transport

import (
	"net"
	"net/http"
	"time"
)

// NewClient returns a client for [llm.Endpoint] that all attempts of a process
// may share, so that connections are kept. It honours HTTPS_PROXY, HTTP_PROXY
// and NO_PROXY as [http.ProxyFromEnvironment] reads them, and no other
// variable.
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
