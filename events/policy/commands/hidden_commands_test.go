package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy/commands"
)

func TestAllowPatternsDoNotCoverHiddenCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shell, pattern, script string }{
		{"bash", "go test *", "nice -n {5,rm,-rf,x} go test ./..."},
		{"bash", "go test *", `x="5 rm"; nice -n $x go test ./...`},
		{"bash", "go test *", "PATH=/tmp/evil eval go test ./..."},
		{"bash", "go test *", "BASH_ENV=/tmp/evil bash -c 'go test ./...'"},
		{"bash", "cat *", "cat <<EOF\nx\nEO\\\nF\nrm x\nEOF\n"},
		{"sh", "echo *", `echo $'a\'' ; rm -rf x #'`},
		{"bash", "test *", "test -v 'a[$(rm x)]'"},
		{"bash", "[ *", "[ -v 'a[$(rm x)]' ]"},
		{"bash", "let *", "'let' 'a[$(rm x)]'"},
		{"bash", "wait *", "wait -n -p 'a[$(rm x)]'"},
		{"bash", "git grep *", "git grep -nOevil foo"},
		{"bash", "tar *", "tar xIf evil a.tar"},
		{"bash", "tar *", "tar -xIevil -f a.tar"},
		{"bash", "rsync *", "rsync -ave evil a b:c"},
		{"bash", "sort *", "sort -uo out a"},
		{"bash", "gmake test *", "gmake test SHELL=evil"},
		{"bash", "make test *", "make test -sf evil.mk"},
		{"bash", "uv run *", "uv run rm x"},
		{"bash", "rg *", "rg --pre=evil x"},
		{"bash", "fd *", "fd . -x rm"},
		{"bash", "split *", "split --filter=evil x"},
		{"bash", "cmd /c *", "cmd /c 'del x'"},
		{"bash", "PowerShell -Command *", "PowerShell -Command 'rm x'"},
		{"bash", "python3 *", "python3 /dev/stdin"},
		{"bash", "sudo bash", "sudo bash"},
	} {
		p, err := commands.ParseAllow(c.pattern)
		if err == nil {
			_, _, missing := commands.Read(c.script, c.shell).Uncovered([]commands.Pattern{p})
			require.True(t, missing, "%s allows %s", c.pattern, c.script)
		}
	}
}

func TestDenyPatternsReachArgumentsFromTheInput(t *testing.T) {
	t.Parallel()
	for pattern, script := range map[string]string{
		"rm -rf *": "echo -rf x | xargs rm",
		"rm *":     "sudo bash <<EOF\nrm x\nEOF",
	} {
		p, err := commands.ParseRefuse(pattern)
		require.NoError(t, err)
		require.Equal(t, commands.MayHit, p.Hit(commands.Read(script, "bash")), script)
	}
}
