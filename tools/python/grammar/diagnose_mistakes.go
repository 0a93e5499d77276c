package grammar

import (
	"strings"

	"manualslop/tools/python"
)

// legacy tells whether an expression is the name of a statement of Python 2.
func (d *diagnosis) legacy(n *node) bool {
	if n.kind != kName {
		return false
	}
	text := d.text(int(n.token))
	return text == "print" || text == "exec"
}

// prefixOrSoft tells whether a name and a string, or a soft keyword, stand here.
func (d *diagnosis) prefixOrSoft() bool {
	at := d.pos
	defer func() { d.pos = at }()
	if d.sym() != symName {
		return false
	}
	d.pos++
	if d.sym() == symString {
		return true
	}
	for _, word := range []string{"_", "case", "match", "type"} {
		if strings.HasPrefix(word, d.text(at)) && (word != "type" || d.minor >= 12) { // CPython takes the beginning of one for it
			return true
		}
	}
	return false
}

func (d *diagnosis) invalidExpression() {
	at := d.pos
	if d.minor >= 14 && d.sym() == symString {
		d.brokenString()
		d.pos = at
	}
	if !d.prefixOrSoft() {
		if a := d.disjunction(); a != nil {
			if b := d.innocent(); b != nil {
				if !d.legacy(a) && d.levels[d.pos-1] > 0 {
					d.raiseRange(a, b, "invalid syntax. Perhaps you forgot a comma?")
				}
				return
			}
		}
	}
	d.pos = at
	if a := d.disjunction(); a != nil && d.tok(kwIf) {
		if b := d.disjunction(); b != nil {
			if !d.at(kwElse, opColon) {
				d.raiseRange(a, b, "expected 'else' after 'if' expression")
			}
			if d.minor >= 14 && d.tok(kwElse) {
				end := d.pos
				if d.expression() == nil {
					d.pos = end
					d.raiseNext("expected expression after 'else', but statement is given")
				}
			}
		}
	}
	d.pos = at
	if d.minor >= 14 {
		d.invalidStatementIf()
		d.pos = at
	}
	if a := d.leaf(kwLambda); d.minor >= 12 && a != nil {
		d.optional(func() bool { return d.parameters(lambdaParameters) })
		if b := d.leaf(opColon); b != nil && (d.at(symFMiddle) || d.minor < 14 && d.replacement()) {
			d.raiseRange(a, b, "f-string: lambda expressions are not allowed without parentheses")
		}
	}
}

// brokenString finds an expression between two strings that were probably meant to be one.
func (d *diagnosis) brokenString() {
	d.pos++
	list := d.repeat(func() *node {
		if d.at(symString) {
			return nil
		}
		return d.innocent()
	})
	if len(list) > 0 && d.tok(symString) {
		d.raiseRange(list[0], list[len(list)-1], "invalid syntax. Is this intended to be part of the string?")
	}
}

// invalidStatementIf finds a statement in the place of a conditional expression's value.
func (d *diagnosis) invalidStatementIf() {
	at := d.pos
	if !d.at(kwPass, kwBreak, kwContinue) {
		return
	}
	d.pos++
	a := d.span(kWord, at)
	if d.tok(kwIf) && d.disjunction() != nil && d.tok(kwElse) && d.simple() != nil {
		d.raiseAt(a, "expected expression before 'if', but statement is given")
	}
}

func (d *diagnosis) invalidLegacy() {
	a := d.name()
	if a == nil || d.at(opLeftParen) {
		return
	}
	if b := d.starExpressions(); b != nil && d.legacy(a) {
		name := d.text(int(a.token))
		d.raiseRange(a, b, "Missing parentheses in call to '"+name+"'. Did you mean "+name+"(...)?")
	}
}

const (
	maybeEqualOrWalrus = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
	maybeEqual         = " here. Maybe you meant '==' instead of '='?"
	mustParenthesise   = "Generator expression must be parenthesized"
)

func (d *diagnosis) invalidNamed() {
	d.remembered(ruleInvalidNamed, func() *node {
		at := d.pos
		if a := d.expression(); a != nil && d.tok(opWalrus) && d.expression() != nil {
			d.raiseAt(a, "cannot use assignment expressions with "+d.describe(a))
		}
		d.pos = at
		if a := d.name(); a != nil && d.tok(opAssign) {
			if b := d.bitwise(); b != nil && !d.at(opAssign, opWalrus) {
				d.raiseRange(a, b, maybeEqualOrWalrus)
			}
		}
		d.pos = at
		if d.first(d.listDisplay, d.tuple, d.generator) != nil || d.at(kwTrue, kwNone, kwFalse) {
			return nil
		}
		d.pos = at
		if a := d.bitwise(); a != nil && d.tok(opAssign) && d.bitwise() != nil && !d.at(opAssign, opWalrus) {
			d.raiseAt(a, "cannot assign to "+d.describe(a)+maybeEqual)
		}
		return nil
	})
}

func (d *diagnosis) invalidGroup() {
	at := d.pos
	if d.tok(opLeftParen) {
		if a := d.starred(); a != nil && d.tok(opRightParen) {
			d.raiseAt(a, "cannot use starred expression here")
		}
	}
	d.pos = at
	if d.tok(opLeftParen) {
		if a := d.leaf(opDoubleStar); a != nil && d.expression() != nil && d.tok(opRightParen) {
			d.raiseAt(a, "cannot use double starred expression here")
		}
	}
}

func (d *diagnosis) invalidComprehension() {
	at := d.pos
	if !d.at(opLeftParen, opLeftBracket, opLeftBrace) {
		return
	}
	round := d.tok(opLeftParen)
	d.pos = at + 1
	if a := d.starred(); a != nil && len(d.clauses()) > 0 {
		d.raiseAt(a, "iterable unpacking cannot be used in comprehension")
	}
	if round {
		return
	}
	const forgot = "did you forget parentheses around the comprehension target?"
	d.pos = at + 1
	a := d.starNamed()
	if a == nil {
		return
	}
	comma := d.leaf(opComma)
	if comma == nil {
		return
	}
	end := d.pos
	if b := d.starNameds(); len(b) > 0 && len(d.clauses()) > 0 {
		d.raiseRange(a, b[len(b)-1], forgot)
	}
	d.pos = end
	if len(d.clauses()) > 0 {
		d.raiseRange(a, comma, forgot)
	}
}

func (d *diagnosis) invalidDictComprehension() {
	if !d.tok(opLeftBrace) {
		return
	}
	if a := d.leaf(opDoubleStar); a != nil && d.bitwise() != nil && len(d.clauses()) > 0 && d.tok(opRightBrace) {
		d.raiseAt(a, "dict unpacking cannot be used in dict comprehension")
	}
}

// invalidItems finds mistakes in the entries of a dict display.
func (d *diagnosis) invalidItems() {
	at := d.pos
	if len(d.several(opComma, d.item)) > 0 && d.tok(opComma) {
		end := d.pos
		if a := d.expression(); a != nil && !d.at(opColon) {
			panic(complaint{kind: python.SyntaxError, text: "':' expected after dictionary key", start: int(a.end) - 1, end: -1, line: int(a.start) + 1})
		}
		d.pos = end
		d.invalidValue()
	}
	d.pos = at
	d.invalidValue()
}

func (d *diagnosis) invalidValue() {
	at := d.pos
	if d.expression() != nil && d.tok(opColon) {
		if a := d.leaf(opStar); a != nil && d.bitwise() != nil {
			d.raiseFrom(a, "cannot use a starred expression in a dictionary value")
		}
	}
	d.pos = at
	if d.expression() == nil {
		return
	}
	if a := d.leaf(opColon); a != nil && d.at(opRightBrace, opComma) {
		d.raiseAt(a, "expression expected after dictionary key and ':'")
	}
}

func (d *diagnosis) invalidForClause() {
	d.tok(kwAsync)
	if d.tok(kwFor) && len(d.several(opComma, d.bitwise)) > 0 {
		d.tok(opComma)
		if !d.at(kwIn) {
			d.raise("'in' expected after for-loop variables")
		}
	}
}

func (d *diagnosis) invalidForTarget() {
	d.tok(kwAsync)
	if d.tok(kwFor) {
		if a := d.starExpressions(); a != nil {
			d.raiseTarget(a, forLoop)
		}
	}
}

const notBehindOperator = "'not' after an operator must be parenthesized"

func (d *diagnosis) invalidNot() {
	if d.minor < 13 || !d.at(opPlus, opMinus, opStar, opSlash, opPercent, opDoubleSlash, opAt) {
		return
	}
	d.pos++
	if a := d.leaf(kwNot); a != nil {
		if b := d.inversion(); b != nil {
			d.raiseRange(a, b, notBehindOperator)
		}
	}
}

func (d *diagnosis) invalidUnaryNot() {
	if d.minor < 13 {
		return
	}
	d.pos++
	if a := d.leaf(kwNot); a != nil {
		if b := d.factor(); b != nil {
			d.raiseRange(a, b, notBehindOperator)
		}
	}
}
