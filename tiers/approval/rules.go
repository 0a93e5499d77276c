package approval

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
)

// verdict is what the rules say of a call; a higher one beats a lower one.
type verdict int

const (
	silent verdict = iota
	allow
	ask_
	deny
)

// judge finds the strongest rule about a call. A rule with argument globs that
// cannot be held against the call counts as an ask when it denies, and not at
// all when it allows.
func (s *State) judge(name string, args json.RawMessage) (verdict, events.Rule) {
	best, why := silent, events.Rule{}
	paths, exact := s.pathArguments(args)
	for _, r := range s.rules {
		v := applies(r, name, paths, exact)
		if v > best {
			best, why = v, r
		}
	}
	return best, why
}

func applies(r events.Rule, name string, paths []string, exact bool) verdict {
	if ok, err := doublestar.Match(r.Tool, name); err != nil || !ok {
		return silent
	}
	v := map[string]verdict{"allow": allow, "ask": ask_, "deny": deny}[r.Action]
	if len(r.Args) == 0 {
		return v
	}
	if !exact || len(paths) == 0 {
		if v == allow {
			return silent
		}
		return ask_
	}
	if hits(r.Args, paths, v == allow) {
		return v
	}
	return silent
}

// hits tells whether a glob matches one of the paths, or all of them where an
// allow must cover the whole call. Case does not matter for a refusal.
func hits(globs, paths []string, all bool) bool {
	for _, p := range paths {
		hit := false
		for _, g := range globs {
			subject := p
			if !all {
				g, subject = strings.ToLower(g), strings.ToLower(p)
			}
			if ok, err := doublestar.Match(g, subject); err == nil && ok {
				hit = true
			}
		}
		if hit != all {
			return hit
		}
	}
	return all
}

// pathArguments are the path-like arguments of a call, relative to the
// workspace. exact is false where one of them cannot be held against a glob.
func (s *State) pathArguments(args json.RawMessage) (paths []string, exact bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return nil, false
	}
	exact = true
	for _, key := range []string{"path", "src_path", "dest_path", "target"} {
		raw, ok := m[key]
		if !ok {
			continue
		}
		var p string
		if json.Unmarshal(raw, &p) != nil {
			return nil, false
		}
		rel, ok := s.relative(p)
		if !ok {
			exact = false
			continue
		}
		paths = append(paths, rel)
	}
	return paths, exact
}

func (s *State) relative(p string) (string, bool) {
	p = strings.ReplaceAll(p, `\`, "/")
	if path.IsAbs(p) {
		root := strings.TrimRight(strings.ReplaceAll(s.workspace, `\`, "/"), "/")
		rest, ok := strings.CutPrefix(path.Clean(p), root+"/")
		if root == "" || !ok {
			return "", false
		}
		return rest, true
	}
	p = path.Clean(p)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}

// yesToAll is the rule behind --yes: it answers the gates of tools, steps and
// spawns, and nothing else.
func (s *State) yesToAll() (events.Rule, bool) {
	for _, r := range s.rules {
		if r.Tool == "*" && r.Action == "allow" && r.Scope == "session" && len(r.Args) == 0 {
			return r, true
		}
	}
	return events.Rule{}, false
}
