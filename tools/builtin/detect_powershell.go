package builtin

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"manualslop/tools"
)

// maxJudgedBytes is the length of the longest script that is checked. The parser recurses with the nesting of the
// text, and a hostile script may be deeply nested.
const maxJudgedBytes = 16 << 10

// powershellSign returns the text that identifies a script as PowerShell, or "". A script that a shell can parse
// is PowerShell only if one of its commands is, so quoted text and here-documents are ignored. A script that a
// shell cannot parse is checked with patterns. Scripts that name their interpreter, and very long ones, are not
// checked.
func powershellSign(script string) string {
	if strings.HasPrefix(script, "#!") || len(script) > maxJudgedBytes {
		return ""
	}
	cmdlet := regexp.MustCompile(`^(?:` + cmdletVerbs + `)-[A-Z][A-Za-z]+$`)
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return signInText(script)
	}
	sign := ""
	syntax.Walk(file, func(node syntax.Node) bool {
		if sign == "" {
			sign = signInNode(node, cmdlet)
		}
		return sign == ""
	})
	return sign
}

func signInNode(node syntax.Node, cmdlet *regexp.Regexp) string {
	switch n := node.(type) {
	case *syntax.CallExpr:
		return signInCall(n, cmdlet)
	case *syntax.Word:
		return signInParts(n.Parts)
	case *syntax.DblQuoted:
		return signInParts(n.Parts)
	}
	return ""
}

// signInCall recognizes `Get-ChildItem …` and `$x = …`.
func signInCall(call *syntax.CallExpr, cmdlet *regexp.Regexp) string {
	if len(call.Args) == 0 {
		return ""
	}
	if name := call.Args[0].Lit(); cmdlet.MatchString(name) {
		return name
	}
	if len(call.Args) < 2 || call.Args[1].Lit() != "=" || len(call.Args[0].Parts) != 1 {
		return ""
	}
	if param, ok := call.Args[0].Parts[0].(*syntax.ParamExp); ok && param.Short && param.Param != nil {
		return "$" + param.Param.Value + " ="
	}
	return ""
}

// signInParts recognizes `$env:NAME`.
func signInParts(parts []syntax.WordPart) string {
	for i := 1; i < len(parts); i++ {
		param, ok := parts[i-1].(*syntax.ParamExp)
		lit, follows := parts[i].(*syntax.Lit)
		if ok && follows && param.Short && param.Param != nil &&
			strings.EqualFold(param.Param.Value, "env") && strings.HasPrefix(lit.Value, ":") {
			return "$env:"
		}
	}
	return ""
}

// cmdletVerbs are the verbs with which the names of PowerShell commands begin.
const cmdletVerbs = `Add|Clear|Compare|Compress|Convert|ConvertFrom|ConvertTo|Copy|Enter|Exit|Expand|Export|Find|ForEach|Format|Get|` +
	`Group|Import|Invoke|Join|Measure|Move|New|Out|Read|Receive|Register|Remove|Rename|Resolve|Restart|Save|Select|Send|Set|` +
	`Sort|Split|Start|Stop|Tee|Test|Trace|Unregister|Update|Use|Wait|Where|Write`

// signInText looks for syntax that is specific to PowerShell.
func signInText(script string) string {
	for _, pattern := range []string{
		`(?m)(?:^|[|;({=&])\s*(?:` + cmdletVerbs + `)-[A-Z][A-Za-z]+\b`,
		`(?i)\$env:\w+`,
		`(?m)^\s*\$\w+(?:\.\w+)*\s*[+-]?=`,
		`(?m)@['"]\s*$`,
		`(?i)\b(?:if|while|elseif)\s*\(.*\s-(?:eq|ne|gt|lt|ge|le|like|match|contains)\s`,
		`(?i)\bforeach\s*\(\s*\$\w+\s+in\b`,
		`(?im)^\s*param\s*\(`,
		`\[(?:System\.)?(?:IO|Text|Environment|Console|Convert|Math)(?:\.\w+)*\]::`,
	} {
		if found := regexp.MustCompile(pattern).FindString(script); found != "" {
			return tools.OneLine(strings.TrimSpace(found), 60)
		}
	}
	return ""
}
