package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
	"manualslop/events/policy"
	"manualslop/events/policy/commands"
	"manualslop/tools/sandbox"
)

// maxServers is the most NATS servers that bus.url may name.
const maxServers = 32

var (
	hostPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*$`)
	})
	envPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	})
	headerPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	})
)

// plainNumber formats a bound without an exponent.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func checkAddresses(c Config) []*Error {
	var found []*Error
	if host, ok := hostPort(c.Hooks.Listen); !ok {
		found = append(found, invalid("hooks.listen", "must be HOST:PORT, got %q", c.Hooks.Listen))
	} else if !loopback(host) {
		found = append(found, invalid("hooks.listen", "must be on loopback (127.0.0.1, localhost or [::1]), got %q",
			c.Hooks.Listen))
	}
	if host, ok := hostPort(c.Bus.Listen); c.Bus.Listen != "" && (!ok || host == "") {
		found = append(found, invalid("bus.listen", "must be HOST:PORT, got %q (0.0.0.0 means every "+
			"address)", c.Bus.Listen))
	}
	servers := strings.Split(c.Bus.URL, ",")
	if len(servers) > maxServers {
		return append(found, invalid("bus.url", "names %d servers, more than the limit of "+
			"%d", len(servers), maxServers))
	}
	for _, server := range servers {
		if problem := serverProblem(strings.TrimSpace(server)); c.Bus.URL != "" && problem != "" {
			found = append(found, invalid("bus.url", "%s", problem))
		}
	}
	return found
}

func serverProblem(server string) string {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
		return "must be nats://HOST:PORT, or tls, ws or wss"
	case u.User != nil:
		return "must not contain a name or password; use --creds FILE"
	}
	return ""
}

// hostPort splits an address with a numeric port from 0 to 65535.
func hostPort(address string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return host, err == nil
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func checkHosts(c Config) []*Error {
	for _, host := range c.Net.AllowHosts {
		if !allowableHost(host) {
			return []*Error{invalid("net.allow_hosts", "must contain NAME, *.NAME or an address, each with an optional :PORT, "+
				"not %q", host)}
		}
	}
	if problem := searchURLProblem(c.Net.SearchURL); problem != "" {
		return []*Error{invalid("net.search_url", "%s", problem)}
	}
	return nil
}

func searchURLProblem(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be an http or https address"
	case u.User != nil || u.Fragment != "":
		return "must not contain a name, a password or a fragment"
	}
	return ""
}

func allowableHost(text string) bool {
	host, ok := policy.ParseHost(text)
	return ok && (host.Addr.IsValid() || hostPattern().MatchString(host.Name))
}

func checkTiers(c Config) []*Error {
	var found []*Error
	for n := 1; n <= 4; n++ {
		path := fmt.Sprintf("tiers.%d.", n)
		if !validProviderName(c.Tier(n).Provider) {
			found = append(found, invalid(path+"provider", "must be a name of letters, digits, dashes and underscores, not %q",
				c.Tier(n).Provider))
		}
		if !c.KnownProvider(c.Tier(n).Provider) {
			found = append(found, invalid(path+"provider", "%s", c.nobodyCalled(c.Tier(n).Provider)))
		}
		if c.Tier(n).Model == "" && len(c.Tier(n).Models) == 0 && c.Tier(n).Provider != ScriptProvider {
			found = append(found, invalid(path+"model", "must name a model"))
		}
	}
	return found
}

// nobodyCalled returns the mistake for the name of an unknown provider.
func (c Config) nobodyCalled(name string) string {
	return fmt.Sprintf("must name a known provider, got %q; the known ones are %s. Your own server with OpenAI's API "+
		"needs kind = \"openai\" and base_url in its [providers] section", name,
		strings.Join(append(ProviderNames(c), ScriptProvider), ", "))
}

func checkProviders(c Config) []*Error {
	var found []*Error
	named := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		provider, path := c.Providers[name], "providers."+name+"."
		if one := events.ProviderName(name); named[one] {
			found = append(found, invalid("providers."+name, "is a duplicate section for the provider %s", one))
		}
		named[events.ProviderName(name)] = true
		switch {
		case provider.Command != "" && !events.RunsProgram(name):
			found = append(found, invalid(path+"command", "must not be set: this provider does not run a program"))
		case events.CheckCommand(provider.Command) != nil:
			found = append(found, invalid(path+"command", "must be the absolute path of a program, without arguments"))
		}
		if len(provider.Args) > 0 && events.ProviderName(name) != events.ProviderACP {
			found = append(found, invalid(path+"args", "is only valid for acp; other programs get their arguments from the provider"))
		}
		if provider.Tools != "" && events.ProviderName(name) != events.ProviderGeminiCLI {
			found = append(found, invalid(path+"tools", "is only valid for gemini_cli"))
		}
		if problem := kindProblem(name, provider); problem != "" {
			found = append(found, invalid(path+"kind", "%s", problem))
		}
		if problem := baseURLProblem(provider); problem != "" {
			found = append(found, invalid(path+"base_url", "%s", problem))
		}
		if provider.APIKeyEnv != "" && !envPattern().MatchString(provider.APIKeyEnv) {
			found = append(found, invalid(path+"api_key_env", "must be the name of an environment variable, not its value"))
		}
		for header := range provider.Headers {
			if !headerPattern().MatchString(header) {
				found = append(found, invalid(path+"headers", "must contain valid header names, got %q", header))
			}
		}
	}
	slices.SortFunc(found, func(a, b *Error) int { return strings.Compare(a.Key, b.Key) })
	return found
}

// baseURLProblem rejects addresses to which keys and headers would be sent unencrypted.
func baseURLProblem(p Provider) string {
	if p.BaseURL == "" {
		return ""
	}
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be an http or https address"
	case u.User != nil:
		return "must not contain a name or password; use api_key_env or credentials.toml"
	case u.RawQuery != "" || u.Fragment != "":
		return "must not have a query or a fragment"
	case u.Scheme == "http" && !loopback(u.Hostname()) && (p.APIKeyEnv != "" || len(p.Headers) > 0):
		return "must be https if a key or a header is sent beyond this machine"
	}
	return ""
}

func checkUser(c Config) []*Error {
	if c.User.Name == "" || events.IsPerson(c.User.Name) {
		return nil
	}
	return []*Error{invalid("user.name", "must consist of letters, digits, dashes and underscores and must not "+
		"be the name of a part of "+
		"the engine, got %q", c.User.Name)}
}

// checkNotify rejects a program that is looked up relative to the current folder, because a project could contain a
// program of that name.
func checkNotify(c Config) []*Error {
	if len(c.Notify.Command) == 0 {
		return nil
	}
	name := c.Notify.Command[0]
	if name == "" || filepath.Base(name) != name && !filepath.IsAbs(name) {
		return []*Error{invalid("notify.command", "must begin with a name on PATH or an absolute path, got %q", name)}
	}
	return nil
}

// checkRetrieval checks names that only matter if vectors are used, so that turning retrieval on later cannot fail.
func checkRetrieval(c Config) []*Error {
	if known := EmbedderNames(c); !slices.Contains(known, events.ProviderName(c.Retrieval.Provider)) {
		return []*Error{invalid("retrieval.provider", "must be a provider that supports embeddings: %s; got %q",
			strings.Join(known, ", "), c.Retrieval.Provider)}
	}
	if len(c.Retrieval.Model) > events.MaxModelName {
		return []*Error{invalid("retrieval.model", "must have at most %d bytes", events.MaxModelName)}
	}
	return nil
}

func checkBlacklist(c Config) []*Error {
	for _, pattern := range c.MCP.Blacklist {
		if _, err := sandbox.ParseGlob(pattern); err != nil {
			return []*Error{invalid("mcp.blacklist", "must contain valid globs without too many braces, got %q", pattern)}
		}
	}
	return nil
}

// plainGlob reports whether a rule's pattern is valid and can be matched in bounded time: rules are matched as
// written, and each alternation in braces multiplies the time. A project may have rules, too.
func plainGlob(pattern string) bool {
	_, err := sandbox.ParseGlob(pattern)
	return err == nil && strings.Count(pattern, "{") <= 2
}

// pastCommands reports a rule with patterns whose tools run scripts and touch no files that they name. Only the exact
// name of [commands.Tool] makes them patterns over commands.
func pastCommands(r Rule) bool {
	_, scope := r.Action()
	names := func(tool string) bool { ok, err := doublestar.Match(r.Tool, tool); return ok && err == nil }
	return len(scope.Globs) > 0 && r.Tool != commands.Tool && names(commands.Tool) && !names("read_file") &&
		!names("edit_file")
}

// checkCommands returns why the pattern of a rule can match no command, or "" if it can.
func checkCommands(action RuleAction, pattern string) string {
	parse := commands.ParseRefuse
	if action == RuleAllow {
		parse = commands.ParseAllow
	}
	_, err := parse(pattern)
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), commands.ErrPattern.Error()+": ")
}

func checkRules(c Config) []*Error {
	var found []*Error
	for i, rule := range c.Rules {
		path := fmt.Sprintf("rules.%d", i)
		if rule.Tool == "" || !plainGlob(rule.Tool) {
			found = append(found, invalid(path+".tool", "must be a glob over tool names, got %q", rule.Tool))
		}
		if action, _ := rule.Action(); action == 0 {
			found = append(found, invalid(path, "must set exactly one of allow, deny and ask"))
		}
		if pastCommands(rule) {
			found = append(found, invalid(path+".tool", "must be %q to have patterns over commands, got %q", commands.Tool,
				rule.Tool))
		}
		for _, part := range rule.parts() {
			for _, glob := range part.scope.Globs {
				if rule.Tool == commands.Tool {
					if why := checkCommands(part.action, glob); why != "" {
						found = append(found, invalid(path+"."+part.key, "has a pattern that can never match: %s, got %q", why, glob))
					}
					continue
				}
				if !plainGlob(glob) {
					found = append(found, invalid(path+"."+part.key, "must hold valid globs with at most two "+
						"alternations in braces, got %q", glob))
				}
			}
		}
	}
	return found
}
