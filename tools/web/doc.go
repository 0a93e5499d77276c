// Package web fetches pages for models without letting them reach what is not meant for them.
//
// # What may be reached
//
// A [Client] goes to http and https addresses only, on ports 80 and 443. Every connection is
// judged on the final IP address, at the moment of dialling, after name resolution and after each
// redirect: addresses in the special-purpose registries of IANA (loopback, private, link-local and
// the metadata services on it, documentation, multicast, translated forms of all these …) and
// addresses of this machine are refused, whatever name, number or redirect led there. The list
// Settings.AllowHosts opens exceptions; see [Settings].
//
// Proxies of the environment are not used, no cookies, credentials or referrers are sent, at most
// MaxRedirects redirects are followed, and an address that contains a known secret is refused.
// Time, headers, bytes on the wire and bytes after decompression are bounded.
//
// # What comes back
//
// [Client.Fetch] gives readable text: HTML is cut down to its main part and turned into Markdown
// or plain text, other text is returned as it is, and anything else is a [*Problem] that names its
// type. Control characters and invisible ones are taken out. [Client.Search] asks DuckDuckGo's
// HTML form. All of it is untrusted: it may hold instructions for a model and must be marked as
// data by the caller.
//
// A failure that a model can understand is a [*Problem], one line. Other errors are internal.
package web
