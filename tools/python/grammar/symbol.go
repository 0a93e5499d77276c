package grammar

// symbol identifies a token: a class of tokens, a keyword or an operator.
type symbol uint8

// Classes of tokens.
const (
	symEnd symbol = iota // end of the text
	symName
	symNumber
	symString // a literal without replacement fields
	symFStart // the opening of an f-string or t-string: prefix and quotes
	symFMiddle
	symFEnd
	symNewline
	symIndent
	symDedent
	symError // a character that cannot begin a token

	firstKeyword // keywords follow, then operators
)

// Keywords, in the order of keywordTexts.
const (
	kwFalse symbol = firstKeyword + iota
	kwNone
	kwTrue
	kwAnd
	kwAs
	kwAssert
	kwAsync
	kwAwait
	kwBreak
	kwClass
	kwContinue
	kwDef
	kwDel
	kwElif
	kwElse
	kwExcept
	kwFinally
	kwFor
	kwFrom
	kwGlobal
	kwIf
	kwImport
	kwIn
	kwIs
	kwLambda
	kwNonlocal
	kwNot
	kwOr
	kwPass
	kwRaise
	kwReturn
	kwTry
	kwWhile
	kwWith
	kwYield

	firstOperator
)

// Operators and punctuation, in the order of operatorTexts.
const (
	opLeftParen symbol = firstOperator + iota
	opRightParen
	opLeftBracket
	opRightBracket
	opLeftBrace
	opRightBrace
	opColon
	opComma
	opSemicolon
	opDot
	opEllipsis
	opArrow
	opExclamation
	opAssign
	opWalrus

	firstBinary // binary operators
)

// Binary operators that bind tighter than comparisons.
const (
	opPlus symbol = firstBinary + iota
	opMinus
	opStar
	opSlash
	opDoubleSlash
	opPercent
	opAt
	opShiftLeft
	opShiftRight
	opAmpersand
	opBar
	opCaret
	opDoubleStar

	opTilde // unary only
)

// Comparisons that are written as operators.
const (
	opLess symbol = opTilde + 1 + iota
	opGreater
	opEqual
	opNotEqual
	opLessEqual
	opGreaterEqual
	opLessGreater // Python 2's "not equal", which is still a token

	firstAugmented // augmented assignments, one for each binary operator, in the same order
)

// augmented is the number of augmented assignments.
const augmented = opTilde - firstBinary

// endOfSymbols is one more than the last symbol.
const endOfSymbols = firstAugmented + augmented

// keywordTexts and operatorTexts spell the symbols from firstKeyword and firstOperator on. A gap in the numbering
// is an empty string.
var (
	keywordTexts = [...]string{
		"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
		"else",
		"except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise",
		"return", "try", "while", "with", "yield",
	}
	operatorTexts = [...]string{
		"(", ")", "[", "]", "{", "}", ":", ",", ";", ".", "...", "->", "!", "=", ":=",
		"+", "-", "*", "/", "//", "%", "@", "<<", ">>", "&", "|", "^", "**", "~",
		"<", ">", "==", "!=", "<=", ">=", "<>",
		"+=", "-=", "*=", "/=", "//=", "%=", "@=", "<<=", ">>=", "&=", "|=", "^=", "**=",
	}
	keywordSymbols  = symbolsOf(keywordTexts[:], firstKeyword)
	operatorSymbols = symbolsOf(operatorTexts[:], firstOperator)
)

func symbolsOf(texts []string, first symbol) map[string]symbol {
	out := make(map[string]symbol, len(texts))
	for i, text := range texts {
		out[text] = first + symbol(i)
	}
	return out
}

// binary reports whether s is a binary operator that binds tighter than
// comparisons.
func (s symbol) binary() bool { return s >= firstBinary && s <= opDoubleStar }

// augmented reports whether s is an augmented assignment.
func (s symbol) augmented() bool { return s >= firstAugmented && s < endOfSymbols }

// comparison reports whether s alone is a comparison; "is", "not in" and so on
// are not.
func (s symbol) comparison() bool { return s >= opLess && s <= opGreaterEqual }
