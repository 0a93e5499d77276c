package python

// StatementKind classifies a statement by its first word.
type StatementKind uint8

// Kinds of statements. Simple covers expressions, assignments and every line that does not begin a known statement.
const (
	Simple StatementKind = iota
	Def
	Class
	If
	Elif
	Else
	For
	While
	Try
	Except
	Finally
	With
	Match
	Case
	ImportModules // import a, b
	ImportFrom    // from a import b
	Return
	Raise
	Pass
	Break
	Continue
	Del
	Assert
	Global
	Nonlocal
	TypeAlias
)

// Compound reports whether statements of this kind have a header and a suite.
func (k StatementKind) Compound() bool { return k >= Def && k <= Case }

// statementKind returns the kind of statement that a hard keyword begins. It does not know soft keywords.
func statementKind(word string) StatementKind {
	switch word {
	case "def":
		return Def
	case "class":
		return Class
	case "if":
		return If
	case "elif":
		return Elif
	case "else":
		return Else
	case "for":
		return For
	case "while":
		return While
	case "try":
		return Try
	case "except":
		return Except
	case "finally":
		return Finally
	case "with":
		return With
	}
	return simpleKind(word)
}

func simpleKind(word string) StatementKind {
	switch word {
	case "import":
		return ImportModules
	case "from":
		return ImportFrom
	case "return":
		return Return
	case "raise":
		return Raise
	case "pass":
		return Pass
	case "break":
		return Break
	case "continue":
		return Continue
	case "del":
		return Del
	case "assert":
		return Assert
	case "global":
		return Global
	case "nonlocal":
		return Nonlocal
	}
	return Simple
}

// IsKeyword reports whether word is a hard keyword of Python 3.
func IsKeyword(word string) bool {
	switch word {
	case "and", "as", "async", "await", "in", "is", "lambda", "not", "or", "yield", "None", "True", "False":
		return true
	}
	return statementKind(word) != Simple
}

// beginsStatement reports whether word begins a statement and cannot occur inside an expression.
func beginsStatement(word string) bool {
	switch statementKind(word) {
	case Simple, If, Else, For, ImportFrom:
		return false
	}
	return true
}

// blockOf names the header of a statement as CPython does in the error for a missing block.
func blockOf(s *Statement, star bool) string {
	switch s.Kind {
	case Def:
		return "function definition"
	case Class:
		return "class definition"
	case If:
		return "'if' statement"
	case Elif:
		return "'elif' statement"
	case Else:
		return "'else' statement"
	case For:
		return "'for' statement"
	case While:
		return "'while' statement"
	case Try:
		return "'try' statement"
	case Except:
		if star {
			return "'except*' statement"
		}
		return "'except' statement"
	case Finally:
		return "'finally' statement"
	case With:
		return "'with' statement"
	case Match:
		return "'match' statement"
	}
	return "'case' statement"
}
