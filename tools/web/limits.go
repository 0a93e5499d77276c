package web

import "time"

// Limits of one fetch.
const (
	// MaxRedirects is the number of redirects that are followed before a fetch fails.
	MaxRedirects = 5
	// MaxBody limits a page in bytes, after decompression. The rest is not read.
	MaxBody = 4 << 20
	// DefaultTimeout limits one fetch, including redirects and reading.
	DefaultTimeout = 30 * time.Second

	maxHeader   = 256 << 10
	maxURL      = 8 << 10
	maxQuery    = 500
	dialTimeout = 10 * time.Second
)
