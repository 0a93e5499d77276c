package git

import (
	"context"
	"regexp"
	"strings"
	"sync"
)

// revisionForm matches the names that are passed to git. A match cannot be an option, a range, a path in a tree
// or a search.
var revisionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}_@][\p{L}\p{N}_./@{}^~+#-]*$`)
})

const maxRevision = 200

// revision is a commit, or the empty tree if there is none yet.
type revision struct {
	name string // as requested, with the short hash
	hash string
}

// resolve returns the commit of a name. It reads the repository's own configuration, but with everything switched
// off that could run a program.
func (p Program) resolve(ctx context.Context, repo repository, name string) (revision, error) {
	if len(name) > maxRevision || !revisionForm().MatchString(name) || strings.Contains(name, "..") ||
		strings.Contains(name, "{/") {
		return revision{}, problem("%s is not a revision; give a commit hash, branch or tag, such as HEAD~1 or main",
			shown(name))
	}
	out, failed, err := p.inside(ctx, repo, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return revision{}, err
	}
	lines := strings.Fields(out)
	if failed == "" && len(lines) > 0 && isHash(lines[len(lines)-1]) {
		hash := lines[len(lines)-1]
		return revision{name: label(name, hash), hash: hash}, nil
	}
	if name == "HEAD" {
		return p.emptyTree(ctx, repo)
	}
	return revision{}, p.unknown(ctx, repo, name)
}

func (p Program) inside(ctx context.Context, repo repository, args ...string) (out, failed string, err error) {
	return p.run(ctx, repo.root, []string{"GIT_DIR=" + repo.admin, "GIT_WORK_TREE=" + repo.root}, args...)
}

// emptyTree replaces HEAD in a repository without a commit.
func (p Program) emptyTree(ctx context.Context, repo repository) (revision, error) {
	out, failed, err := p.inside(ctx, repo, "hash-object", "-t", "tree", "--stdin")
	if err != nil {
		return revision{}, err
	}
	if hash := strings.TrimSpace(out); failed == "" && isHash(hash) {
		return revision{name: "nothing (there is no commit yet)", hash: hash}, nil
	}
	return revision{}, problem("git cannot read this repository: %s", shown(failed))
}

// unknown returns the error for an unknown name, and lists existing branches and tags.
func (p Program) unknown(ctx context.Context, repo repository, name string) error {
	out, failed, err := p.inside(ctx, repo, "for-each-ref", "--count=8", "--sort=-creatordate",
		"--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return err
	}
	known := strings.Join(strings.Fields(out), ", ")
	if failed != "" || known == "" {
		return problem("the repository has no revision %s; give a commit hash or HEAD", shown(name))
	}
	return problem("the repository has no revision %s; the latest are %s", shown(name), shown(known))
}

func label(name, hash string) string {
	if strings.HasPrefix(hash, name) && len(name) >= 7 {
		return hash[:min(len(hash), 12)]
	}
	return name + " (" + hash[:min(len(hash), 12)] + ")"
}

func isHash(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// shown shortens a name to fit on one line.
func shown(name string) string {
	const most = 200
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
