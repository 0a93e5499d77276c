package commands

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"manualslop/events/chars"
)

// command adds a simple command: words[:set] set variables, and the rest is a program with its
// arguments. If the program only runs another one, that one is analysed.
func (r *reader) command(words []word, set int) {
	c := Command{words: words, set: set, from: set}
	for {
		name, known := words[c.from].plain()
		switch {
		case !known || !programName(name):
			c.Unclear = "which program it runs is only known at run time"
		case transparent(name):
			n, why := innerOf(name, words[c.from+1:])
			c.runs = true
			if why == "" {
				c.from += 1 + n
				continue
			}
			c.Unclear = why
		default:
			r.program(&c, name)
		}
		break
	}
	if c.inner && c.set > 0 {
		c.inner, c.Unclear = false, "it sets a variable for a script within the script"
	}
	c.words[c.from].fix()
	r.out.Commands = append(r.out.Commands, c)
}

// programName reports whether a name is visible ASCII, because other letters may look the same.
func programName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' })
}

func transparent(name string) bool {
	return slices.Contains([]string{"builtin", "command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "time",
		"timeout"}, name)
}

// innerOf returns how many words of a transparent program precede the command that it runs.
func innerOf(name string, args []word) (int, string) {
	n := 0
	for ; n < len(args); n++ {
		text, known := args[n].plain()
		variable, _, sets := strings.Cut(text, "=")
		switch {
		case !known:
			return 0, "what " + name + " runs is only known at run time"
		case name == "env" && sets && harmlessVariable(variable):
		case name == "env" && sets:
			return 0, "env sets a variable of the environment"
		case !strings.HasPrefix(text, "-"):
			if name == "timeout" {
				n++ // the duration
			}
			if n >= len(args) {
				return 0, name + " runs an unknown command"
			}
			return n, ""
		case name == "stdbuf" && len(text) == 3 && strings.IndexByte("ioe", text[1]) >= 0,
			name == "nice" && digits(text[1:]):
		case name == "nice" && text == "-n" && n+1 < len(args) && niceness(args[n+1]):
			n++
		default:
			return 0, "an option of " + name + " is not analysed"
		}
	}
	return 0, name + " runs an unknown command"
}

func niceness(w word) bool {
	text, known := w.plain()
	return known && digits(strings.TrimPrefix(text, "-"))
}

func digits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
}

// program sets what is known about the program of a command.
func (r *reader) program(c *Command, name string) {
	args := c.words[c.from+1:]
	base := chars.Lower(baseName(name))
	switch {
	case slices.Contains(redefining(), base):
		c.Unclear = base + " changes what later commands run"
	case base == "eval":
		r.eval(c, args)
	case slices.Contains(shells(), base):
		r.shell(c, name, args)
	case slices.Contains(runners(), base) || runsRest(base, args):
		c.runs = true
		fixAll(args)
		if last, _ := c.words[len(c.words)-1].plain(); slices.Contains(shells(), chars.Lower(baseName(last))) {
			c.Unclear = clean(baseName(last)) + " runs what it reads"
		}
	case base == "find":
		r.find(c, args)
	case interpreter(base):
		interpret(c, base, args)
	case slices.Contains(setters(), base):
		fixAll(args)
	default:
		fixHazards(base, args)
	}
}

// redefining returns the builtins that change what other commands mean or store commands for
// later.
func redefining() []string {
	return []string{"alias", "unalias", "bind", "complete", "enable", "hash", "trap", "fc", "let"}
}

// setters returns the commands whose arguments name variables or files with commands; * covers
// none of them.
func setters() []string {
	return []string{".", "source", "read", "mapfile", "readarray", "getopts", "unset", "shopt", "set"}
}

// runsRest reports whether a subcommand runs a command from its arguments.
func runsRest(base string, args []word) bool {
	run := map[string][]string{"uv": {"run", "tool", "x"}, "poetry": {"run"}, "pdm": {"run"}, "pipenv": {"run"},
		"hatch": {"run"}, "bundle": {"exec"}, "npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx"},
		"bun": {"x"}, "git": {"bisect", "submodule", "filter-branch", "difftool", "mergetool"}, "go": {"tool"}}[base]
	for i, w := range args {
		text, known := w.plain()
		if known && slices.Contains(run, text) && (text != "x" || i == 0) {
			return true
		}
	}
	return false
}

func shells() []string {
	return []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "fish", "pwsh", "powershell", "cmd"}
}

// runners returns the programs that run a command from their arguments or their input; * does not
// cover their arguments.
func runners() []string {
	return []string{"sudo", "doas", "su", "runuser", "pkexec", "xargs", "parallel", "ssh", "watch", "entr", "busybox",
		"toybox", "unshare", "nsenter", "chroot", "flock", "strace", "ltrace", "gdb", "script", "expect", "start-stop-daemon",
		"systemd-run", "at", "batch", "crontab", "ionice", "chrt", "taskset", "setarch", "linux64", "fakeroot", "firejail",
		"bwrap", "docker", "podman", "kubectl", "screen", "tmux", "awk", "gawk", "mawk", "nawk", "sed", "ed", "ex", "vi",
		"vim", "nvim", "emacs", "less", "more", "man", "env", "exec", "nice", "nohup", "command", "builtin", "timeout",
		"time", "stdbuf", "setsid", "socat", "nc", "ncat", "netcat", "wsl", "start", "rundll32", "mshta",
		"wscript", "cscript", "npx",
		"bunx", "pnpx", "uvx", "pipx", "direnv", "rlwrap", "unbuffer", "xvfb-run", "dbus-run-session", "ssh-agent", "gosu",
		"setpriv", "capsh", "proot", "valgrind", "perf", "hyperfine", "coproc"}
}

func fixAll(words []word) {
	for _, w := range words {
		w.fix()
	}
}

func known(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { _, ok := w.plain(); return !ok })
}

// eval analyses the text that eval runs.
func (r *reader) eval(c *Command, args []word) {
	if !known(args) {
		c.Unclear = "eval runs a text that is only known at run time"
		return
	}
	var texts []string
	for _, w := range args {
		text, _ := w.plain()
		texts = append(texts, text)
	}
	c.inner = true
	r.within(strings.Join(texts, " "), r.language)
}

// within analyses a script inside another one.
func (r *reader) within(script string, language syntax.LangVariant) {
	inner := reader{out: r.out, language: language, depth: r.depth + 1}
	inner.read(script)
}

// shell analyses the script of sh -c. A pattern must name a script file in full.
func (r *reader) shell(c *Command, name string, args []word) {
	c.runs = true
	if base := chars.Lower(baseName(name)); base == "cmd" || base == "powershell" {
		c.Unclear = "what " + base + " runs is not known here"
		return
	}
	for i, w := range args {
		text, ok := w.plain()
		switch {
		case !ok:
			c.Unclear = "what " + baseName(name) + " runs is only known at run time"
			return
		case !strings.HasPrefix(text, "-") || text == "-":
			if text == "-" || special(text) {
				c.Unclear = clean(name) + " runs what it reads"
				return
			}
			fixAll(args[:i+1])
			return
		case strings.Trim(text[1:], "euxo") == "" && !strings.HasSuffix(text, "o"):
		case strings.Trim(text[1:], "eux") == "c" && (name == "sh" || name == "bash" || name == "dash") && i+1 < len(args):
			script, ok := args[i+1].plain()
			if !ok {
				c.Unclear = name + " -c runs a text that is only known at run time"
				return
			}
			c.inner = true
			r.within(script, languageOf(name))
			return
		default:
			c.Unclear = "an option of " + clean(baseName(name)) + " is not analysed"
			return
		}
	}
	c.Unclear = clean(baseName(name)) + " runs what it reads"
}

// find marks those actions of find that run commands or write files.
func (r *reader) find(c *Command, args []word) {
	if !known(args) {
		c.Unclear = "what find does is only known at run time"
		return
	}
	for i, w := range args {
		switch text, _ := w.plain(); text {
		case "-exec", "-execdir", "-ok", "-okdir":
			c.runs = true
			fixAll(args[i:])
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from":
			w.fix()
		}
	}
}

func interpreter(base string) bool {
	base = strings.TrimRight(base, "0123456789.")
	return slices.Contains([]string{"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua",
		"luajit", "rscript", "r", "tclsh", "osascript", "ghci", "irb", "julia", "elixir", "iex", "guile", "racket"}, base)
}

// special reports whether a path may be the standard input, another open file or a connection.
func special(path string) bool {
	path = "/" + path
	return strings.Contains(path, "/proc/") || strings.Contains(path, "/dev/std") || strings.Contains(path, "/dev/fd") ||
		strings.Contains(path, "/dev/t") || strings.Contains(path, "/dev/udp")
}

// interpret prevents * from covering options that run a text, and rejects programs that are read
// from the input.
func interpret(c *Command, base string, args []word) {
	program := false
	for i, w := range args {
		text := w.begin()
		switch {
		case i == 0 && text == "-m":
			w.fix()
			return
		case i == 0 && text != "" && text[0] != '-' && !special(text):
			return
		case text == "-" || special(text):
			c.Unclear = clean(base) + " runs what it reads"
			return
		case strings.HasPrefix(text, "-") || text == "":
			w.fix()
			program = program || len(text) > 1
		default:
			program = true
		}
	}
	if !program {
		c.Unclear = clean(base) + " runs what it reads"
	}
}

// hazards returns the options of a program that name another program, or make it work elsewhere or
// write anywhere; * does not cover them. Abbreviated long options count, too.
func hazards(base string) (long, short []string) {
	switch base {
	case "go":
		return []string{"exec", "toolexec", "vettool", "overlay", "modfile", "o", "C", "ldflags", "gcflags", "asmflags",
			"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "coverprofile", "outputdir"}, nil
	case "git":
		return []string{"config-env", "exec-path", "upload-pack", "receive-pack", "exec", "ext-diff", "textconv",
				"open-files-in-pager", "output", "git-dir", "work-tree", "upload-archive", "template", "editor",
				"separate-git-dir"},
			[]string{"-c", "-C", "-O", "-x", "-u"}
	case "tar", "bsdtar":
		return []string{"to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script",
			"new-volume-script", "rmt-command", "absolute-names"}, []string{"-I", "-F", "-P"}
	case "rsync":
		return []string{"rsh", "rsync-path"}, []string{"-e"}
	case "make", "gmake":
		return []string{"file", "makefile", "directory", "eval", "include-dir"}, []string{"-f", "-C", "-E", "-I"}
	case "sort":
		return []string{"output", "compress-program"}, []string{"-o"}
	case "printf":
		return nil, []string{"-v"}
	case "test", "[":
		return nil, []string{"-v", "-R"}
	case "wait":
		return nil, []string{"-p"}
	case "rg":
		return []string{"pre", "hostname-bin"}, nil
	case "fd", "fdfind":
		return []string{"exec", "exec-batch"}, []string{"-x", "-X"}
	case "split":
		return []string{"filter"}, nil
	case "curl":
		return []string{"output", "remote-name", "config", "upload-file"}, []string{"-o", "-O", "-K", "-T"}
	case "wget":
		return []string{"output-document", "input-file", "execute", "config", "use-askpass", "directory-prefix"},
			[]string{"-O", "-i", "-e", "-P"}
	case "npm", "pnpm", "yarn":
		return []string{"script-shell", "prefix", "node-options", "userconfig"}, []string{"-C"}
	case "cargo":
		return []string{"config", "manifest-path", "target-dir"}, []string{"-Z", "-C"}
	case "pytest":
		return []string{"rootdir", "confcutdir", "override-ini", "basetemp"}, []string{"-p", "-c", "-o"}
	case "gcc", "g++", "cc", "c++", "clang", "clang++":
		return []string{"wrapper", "specs", "fplugin", "load"}, []string{"-B", "-o", "@"}
	}
	return nil, nil
}

// fixHazards prevents * from covering the options in [hazards] and variables of make. An argument
// that is only known at run time may be such an option, so nothing covers it.
func fixHazards(base string, args []word) {
	long, short := hazards(base)
	if long == nil && short == nil {
		return
	}
	for i, w := range args {
		text := w.begin()
		if i == 0 && strings.HasSuffix(base, "tar") && text != "" && text[0] != '-' {
			text = "-" + text // the old form of options
		}
		sets := (base == "make" || base == "gmake") && strings.Contains(text, "=")
		if sets || hazard(text, long, short) || len(w) > 0 && w[0].r == dynamic {
			w.fix()
		}
	}
}

// hazard reports whether an argument is one of the options. Several short options may share one argument.
func hazard(text string, long, short []string) bool {
	joined := strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--")
	if slices.ContainsFunc(short, func(s string) bool {
		return strings.HasPrefix(text, s) || joined && strings.Contains(text, strings.TrimPrefix(s, "-"))
	}) {
		return true
	}
	name := strings.TrimLeft(text, "-")
	if name == text {
		return false
	}
	name, _, _ = strings.Cut(name, "=")
	return name != "" && slices.ContainsFunc(long, func(l string) bool {
		return l == name || strings.HasPrefix(text, "--") && strings.HasPrefix(l, name)
	})
}

// baseName returns the name of a program without its folders and its Windows extension.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1", ".com"} {
		if cut := len(name) - len(ending); cut > 0 && fold(name[cut:]) == fold(ending) {
			return name[:cut]
		}
	}
	return name
}
