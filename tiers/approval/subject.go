package approval

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// subject is the part of a call that rules check.
type subject struct {
	tool      string
	confined  bool     // it touches only files that its arguments name
	workspace folder   // the folder to which the globs of rules apply
	place     folder   // the folder in which the call runs; may be a copy of workspace
	paths     []string // paths in its arguments, relative to the workspace
	exact     bool     // paths is complete, and none is outside the workspace or a link
	texts     []string // other texts in the arguments that may be paths
}

// maxPath is the maximum length of a text that is treated as a possible path, in bytes.
const maxPath = 4096

// namesPath reports whether an argument with this name is a path.
func namesPath(key string) bool {
	return slices.Contains([]string{"path", "src_path", "dest_path", "target"}, key)
}

func (s *State) subjectOf(of *call) subject {
	t := of.tool
	c := subject{tool: t.offer.Name, confined: t.confined(), workspace: folder(s.workspace), place: s.placeOf(of),
		exact: !s.settings.FollowLinks}
	c.read(of.args)
	return c
}

// placeOf returns the folder in which a call runs; empty if its workspace is unknown.
func (s *State) placeOf(of *call) folder {
	if name := of.request.Workspace; name != "" {
		return folder(s.places[name])
	}
	return folder(s.workspace)
}

// read reads the arguments of a call.
func (c *subject) read(args json.RawMessage) {
	var members map[string]any
	if json.Unmarshal(args, &members) != nil {
		c.exact = false
		return
	}
	c.addMembers(members)
}

// addMembers adds the arguments, and the members of each object in a list, such as the edits of a
// call that edits several files.
func (c *subject) addMembers(members map[string]any) {
	// order-independent: rules only check whether some path or text matches
	for key, v := range members {
		switch x := v.(type) {
		case string:
			if namesPath(key) {
				c.addPath(x)
			} else {
				c.addTexts(x)
			}
		case []any:
			c.exact = c.exact && !namesPath(key)
			c.addList(x)
		default:
			c.exact = c.exact && !namesPath(key)
			c.addTexts(v)
		}
	}
}

func (c *subject) addList(items []any) {
	for _, item := range items {
		if members, is := item.(map[string]any); is {
			c.addMembers(members)
		} else {
			c.addTexts(item)
		}
	}
}

// addPath adds an argument that is a path. A path outside the workspace cannot be matched by a
// glob.
func (c *subject) addPath(text string) {
	if rel, inside := c.place.relative(text); inside {
		c.paths = append(c.paths, rel)
		return
	}
	c.exact = false
}

// addTexts adds every string of a value that might be a path.
func (c *subject) addTexts(v any) {
	switch x := v.(type) {
	case string:
		if rel, inside := c.place.relative(x); inside && len(x) <= maxPath {
			c.texts = append(c.texts, rel)
		}
	case []any:
		for _, item := range x {
			c.addTexts(item)
		}
	case map[string]any:
		// order-independent: as above
		for _, item := range x {
			c.addTexts(item)
		}
	}
}

// folder is the absolute path of a workspace.
type folder string

// below returns an absolute path relative to the folder.
func (f folder) below(abs string) (string, bool) {
	root := strings.TrimRight(slashed(string(f)), "/")
	rest, ok := strings.CutPrefix(abs, root+"/")
	return rest, ok && root != ""
}

// relative returns a path in the form that rules use: relative to the workspace, cleaned, with
// slashes. It returns false for a path outside.
func (f folder) relative(p string) (string, bool) {
	p = path.Clean(slashed(p))
	if isAbsolute(p) {
		return f.below(p)
	}
	return p, p != ".." && !strings.HasPrefix(p, "../")
}

// glob returns the glob of a deny rule in the form of folded paths. A folder matches everything in
// it.
func (f folder) glob(g string) string {
	g = slashed(g)
	if rel, inside := f.below(g); inside {
		g = rel
	}
	g = strings.TrimPrefix(g, "./")
	if strings.HasSuffix(g, "/") {
		g += "**"
	}
	return fold(g)
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// isAbsolute recognises absolute paths of any system. Where drive letters do not exist, the worker
// rejects such paths anyway.
func isAbsolute(p string) bool {
	return path.IsAbs(p) || len(p) >= 2 && p[1] == ':'
}
