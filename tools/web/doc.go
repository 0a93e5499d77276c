// Package web fetches pages for models and restricts which addresses they can reach.
//
// # Allowed addresses
//
// A [Client] connects to http and https addresses only, on ports 80 and 443. Every connection is checked by its
// final IP address when it is dialled, after name resolution and after each redirect. Addresses in the
// special-purpose registries of IANA (loopback, private, link-local including metadata services, documentation,
// multicast, translated forms of all these, and others) and addresses of this machine are rejected, whatever name,
// number or redirect led to them. The list Settings.AllowHosts defines exceptions; see [Settings].
//
// Proxies from the environment are not used. No cookies, credentials or referrers are sent. At most MaxRedirects
// redirects are followed, and a URL that contains a known secret is rejected.
// Time, headers, bytes on the wire and bytes after decompression are bounded.
//
// # Results
//
// [Client.Fetch] returns readable text: HTML is reduced to its main part and converted to Markdown or plain text,
// other text is returned unchanged, and anything else is a [*Problem] that names its type. Control characters and
// invisible characters are removed. [Client.Search] queries DuckDuckGo's HTML form. All results are untrusted:
// they may hold instructions for a model, and the caller must mark them as data.
//
// A failure that a model can understand is a [*Problem] with a one-line text. Other errors are internal.
package web
