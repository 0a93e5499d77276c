package commands

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"manualslop/events/chars"
)

// reader collects the commands of a POSIX shell script.
type reader struct {
	out      *Script
	language syntax.LangVariant
	depth    int
}

func (r *reader) read(script string) {
	if r.depth > maxDepth {
		r.out.unclear("too many scripts within scripts")
		return
	}
	if strings.ContainsFunc(script, strange) {
		r.out.unclear("the script has control or invisible characters")
	}
	file, err := syntax.NewParser(syntax.Variant(r.language)).Parse(strings.NewReader(script), "")
	if err != nil {
		r.out.unclear("the script is not valid for the shell")
		return
	}
	if r.language == syntax.LangPOSIX && strings.Contains(script, "$'") {
		r.out.unclear("shells read $' in different ways")
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if d, is := n.(*syntax.Redirect); is && hereDocument(d) && strings.Contains(script, "\\\n") {
			r.out.unclear("shells end a here-document with escaped line breaks in different places")
		}
		r.node(n)
		return true
	})
}

// strange reports whether a parser and a shell may interpret a character differently, as with a
// carriage return.
func strange(c rune) bool {
	return c != '\n' && c != '\t' && (chars.Control(c) || chars.Format(c)) || c == '\uFFFD'
}

func (r *reader) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		r.call(n)
	case *syntax.DeclClause:
		r.declare(n)
	case *syntax.Redirect:
		r.redirect(n)
	case *syntax.ParamExp:
		if !plainParam(n) {
			r.out.unclear("it expands a variable in a way that may run commands or set variables")
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
		r.out.unclear("it has an arithmetic expression, which may run commands")
	case *syntax.TestClause, *syntax.TestDecl:
		r.out.unclear("it tests with [[, which may run commands")
	case *syntax.FuncDecl:
		r.out.unclear("it defines a function")
	case *syntax.CStyleLoop:
		r.out.unclear("it has an arithmetic expression, which may run commands")
	case *syntax.CoprocClause:
		r.out.unclear("it starts a coprocess")
	case *syntax.ForClause:
		if n.Select {
			r.out.unclear("it has a select loop")
		}
	case *syntax.WordIter:
		if n.Name != nil && !localName(n.Name.Value) {
			r.out.unclear("it sets the variable " + clean(n.Name.Value))
		}
	case *syntax.Assign:
		if n.Index != nil {
			r.out.unclear("it sets an element of a variable")
		}
	}
}

// plainParam reports whether an expansion only inserts a value: $x, ${x}, ${#x}, ${x:-word} and
// ${x:+word}.
func plainParam(p *syntax.ParamExp) bool {
	if p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.NestedParam != nil || p.Width ||
		p.IsSet || len(p.Modifiers) > 0 {
		return false
	}
	if p.Exp == nil {
		return true
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return true
	}
	return false
}

// redirect adds a redirection that opens a file for writing, as a command of its own.
func (r *reader) redirect(n *syntax.Redirect) {
	target, known := wordFrom(n.Word).plain()
	if n.N != nil && !digits(n.N.Value) {
		r.out.unclear("it sets a variable to a file descriptor")
	}
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if known && descriptor(target) {
			return
		}
	case syntax.RdrIn:
		if known && !strings.HasPrefix(target, "/dev/tcp") && !strings.HasPrefix(target, "/dev/udp") {
			return
		}
	default:
		if target == "/dev/null" {
			return
		}
	}
	why := "it writes a file"
	if n.Op == syntax.RdrIn {
		why = "it reads from a place that is only known at run time"
	}
	r.out.Commands = append(r.out.Commands, Command{Unclear: why, opens: true,
		words: []word{wordOf(n.Op.String()), wordFrom(n.Word)}})
}

func hereDocument(n *syntax.Redirect) bool { return n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc }

// descriptor reports whether text is a file descriptor, or - which closes one.
func descriptor(text string) bool {
	return text == "-" || len(text) == 1 && text[0] >= '0' && text[0] <= '9'
}

// declare adds export, declare, local, readonly and typeset; * does not cover what they set.
func (r *reader) declare(n *syntax.DeclClause) {
	words := []word{wordOf(n.Variant.Value)}
	for _, a := range n.Args {
		if a.Naked && a.Value != nil {
			words = append(words, wordFrom(a.Value))
		} else {
			words = append(words, assignment(a))
		}
	}
	for _, w := range words {
		w.fix()
	}
	r.out.Commands = append(r.out.Commands, Command{words: words})
}

func assignment(a *syntax.Assign) word {
	name := ""
	if a.Name != nil {
		name = a.Name.Value
	}
	if a.Naked {
		return wordOf(name)
	}
	if a.Append {
		name += "+"
	}
	out := append(wordOf(name+"="), wordFrom(a.Value)...)
	if a.Array != nil {
		out = append(out, cell{r: dynamic, loose: true})
	}
	return out
}

// call adds a simple command with the variables that are set for it.
func (r *reader) call(n *syntax.CallExpr) {
	var words []word
	for _, a := range n.Assigns {
		name := a.Name.Value
		if harmlessVariable(name) || len(n.Args) == 0 && localName(name) {
			continue
		}
		w := assignment(a)
		w.fix()
		words = append(words, w)
	}
	set := len(words)
	for _, w := range n.Args {
		words = append(words, wordFrom(w))
	}
	switch {
	case len(n.Args) > 0:
		r.command(words, set)
	case set > 0:
		r.out.Commands = append(r.out.Commands, Command{words: words, Unclear: "it sets a variable of the environment"})
	}
}

// localName reports whether no program is known to read a variable with this name: a single
// lower-case word.
func localName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool { return c < 'a' || c > 'z' })
}

// harmlessVariable reports whether a variable only changes how a program prints or for which
// target it builds, not what it runs.
func harmlessVariable(name string) bool {
	return slices.Contains([]string{"CI", "CGO_ENABLED", "CLICOLOR", "COLUMNS", "DEBUG", "FORCE_COLOR", "GOARCH",
		"GOMAXPROCS", "GOOS", "GOTRACEBACK", "LANG", "LC_ALL", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE",
		"PYTHONHASHSEED", "PYTHONUNBUFFERED", "RUST_BACKTRACE", "TERM", "TZ", "VERBOSE"}, name)
}

// clean returns a name from a script in a form that is safe in a decision.
func clean(s string) string { return Command{words: []word{wordOf(s)}}.String() }
