package grammar

import (
	"fmt"

	"manualslop/tools/document"
)

// statement reads one statement with its line end.
func (d *diagnosis) statement() bool {
	at := d.pos
	return d.compound() || d.back(at) && d.simples() || !d.back(at)
}

// simples reads the simple statements of a line.
func (d *diagnosis) simples() bool {
	if d.simple() == nil {
		return false
	}
	for {
		end := d.pos
		if !d.tok(opSemicolon) {
			break
		}
		if d.simple() == nil {
			d.pos = end + 1
			break
		}
	}
	return d.tok(symNewline)
}

// block reads the suite of a compound statement, behind its colon.
func (d *diagnosis) block() bool {
	return d.remembered(ruleBlock, func() *node {
		at := d.pos
		if d.tok(symNewline) && d.tok(symIndent) && d.statement() {
			for d.statement() {
			}
			if d.tok(symDedent) {
				return d.yes
			}
		}
		d.pos = at
		if d.simples() {
			return d.yes
		}
		d.pos = at
		d.try(func() {
			if d.tok(symNewline) && !d.at(symIndent) {
				d.raiseIndent("expected an indented block")
			}
		})
		return nil
	}) != nil
}

// body reads a colon and a suite.
func (d *diagnosis) body() bool { return d.tok(opColon) && d.block() }

// lineOf is the line of a token.
func (d *diagnosis) lineOf(at int) int {
	return document.NumberOf(d.lines, int(d.toks[at].start))
}

// needBlock raises an error where a colon, a line end and no indentation follow a header.
func (d *diagnosis) needBlock(what string, at int) {
	if d.tok(opColon) && d.tok(symNewline) && !d.at(symIndent) {
		d.raiseIndent(fmt.Sprintf("expected an indented block after %s on line %d", what, d.lineOf(at)))
	}
}

// needColon raises an error where a line ends instead of a colon, or a block is missing behind it.
func (d *diagnosis) needColon(what string, at int) {
	end := d.pos
	if d.tok(symNewline) {
		d.raise("expected ':'")
	}
	d.pos = end
	d.needBlock(what, at)
}

func (d *diagnosis) compound() bool {
	at := d.pos
	s := d.sym()
	async := s == kwAsync
	switch s {
	case kwDef:
		return d.function()
	case opAt:
		return d.decorators() && d.function() || d.back(at) && d.function() || d.back(at) && d.decorators() && d.class() || d.back(at) && d.class()
	case kwIf:
		return d.ifStatement(kwIf, "'if' statement")
	case kwClass:
		return d.class()
	case kwTry:
		return d.tryStatement()
	case kwWhile:
		return d.while()
	}
	if async && (d.function() || !d.back(at)) {
		return true
	}
	if s == kwWith || async {
		return d.with() || d.back(at) && async && d.forLoop() || !d.back(at)
	}
	if s == kwFor {
		return d.forLoop()
	}
	return d.match()
}

func (d *diagnosis) decorators() bool {
	return len(d.repeat(func() *node { return d.ok(d.tok(opAt) && d.namedExpression() != nil && d.tok(symNewline)) })) > 0
}

func (d *diagnosis) function() bool {
	d.try(func() {
		d.tok(kwAsync)
		at := d.pos
		if d.functionHeader(d.tok) {
			d.needBlock("function definition", at)
		}
	})
	if d.minor < 13 {
		d.tok(kwAsync)
		return d.functionHeader(d.insist) && d.insist(opColon) && d.block()
	}
	d.try(func() {
		d.tok(kwAsync)
		_ = d.functionHeader(d.insist) && d.insist(opColon) && d.block()
	})
	d.tok(kwAsync)
	return d.functionHeader(d.tok) && d.body()
}

// functionHeader reads a header from def to before the colon; read takes the opening parenthesis.
func (d *diagnosis) functionHeader(read func(symbol) bool) bool {
	return d.tok(kwDef) && d.tok(symName) && d.optionalTypes() && read(opLeftParen) && d.optional(d.functionParams) &&
		d.tok(opRightParen) && d.optional(d.result)
}

func (d *diagnosis) functionParams() bool { return d.parameters(functionParameters) }

func (d *diagnosis) result() bool { return d.tok(opArrow) && d.expression() != nil }

// optionalTypes reads type parameters, if this Python has them.
func (d *diagnosis) optionalTypes() bool {
	return d.minor < 12 || d.optional(d.typeParameters)
}

func (d *diagnosis) class() bool {
	at := d.pos
	d.try(func() {
		if d.classHeader() {
			d.needColon("class definition", at)
		}
	})
	return d.classHeader() && d.body()
}

func (d *diagnosis) classHeader() bool {
	return d.tok(kwClass) && d.tok(symName) && d.optionalTypes() && d.optional(func() bool {
		return d.tok(opLeftParen) && d.optional(func() bool { return d.arguments() != nil }) && d.tok(opRightParen)
	})
}

// ifStatement reads if or elif with what follows.
func (d *diagnosis) ifStatement(word symbol, what string) bool {
	at := d.pos
	d.try(func() {
		if d.tok(word) && d.namedExpression() != nil {
			d.needColon(what, at)
		}
	})
	if !d.tok(word) || d.namedExpression() == nil || !d.body() {
		return false
	}
	end := d.pos
	if d.at(kwElif) && d.ifStatement(kwElif, "'elif' statement") {
		return true
	}
	d.pos = end
	return d.optional(d.elseBlock)
}

func (d *diagnosis) elseBlock() bool {
	at := d.pos
	d.try(func() {
		if d.tok(kwElse) {
			d.needBlock("'else' statement", at)
			if d.minor >= 14 {
				d.pos = at + 1
				if d.body() && d.tok(kwElif) {
					d.raise("'elif' block follows an 'else' block")
				}
			}
		}
	})
	if !d.tok(kwElse) {
		return false
	}
	d.insist(opColon)
	return d.block()
}

func (d *diagnosis) while() bool {
	at := d.pos
	d.try(func() {
		if d.tok(kwWhile) && d.namedExpression() != nil {
			d.needColon("'while' statement", at)
		}
	})
	return d.tok(kwWhile) && d.namedExpression() != nil && d.body() && d.optional(d.elseBlock)
}

func (d *diagnosis) forLoop() bool {
	at := d.pos
	d.try(func() {
		d.tok(kwAsync)
		word := d.pos
		if d.tok(kwFor) && d.starTargets() != nil && d.tok(kwIn) && d.starExpressions() != nil {
			d.needColon("'for' statement", word)
		}
	})
	d.tok(kwAsync)
	if d.tok(kwFor) && d.starTargets() != nil && d.tok(kwIn) {
		return d.starExpressions() != nil && d.body() && d.optional(d.elseBlock)
	}
	d.pos = at
	d.try(d.invalidForTarget)
	return false
}

// withHeader reads "with" and its items without looking for what is wrong with them.
func (d *diagnosis) withHeader(paren bool) bool {
	item := d.expression
	if paren {
		if !d.tok(opLeftParen) {
			return false
		}
		item = d.expressions
	}
	list := d.several(opComma, func() *node {
		if item() == nil {
			return nil
		}
		d.optional(func() bool { return d.tok(kwAs) && d.starTarget() != nil })
		return d.yes
	})
	if len(list) == 0 {
		return false
	}
	if paren {
		d.tok(opComma)
		return d.tok(opRightParen)
	}
	return true
}

func (d *diagnosis) with() bool {
	at := d.pos
	d.try(func() { d.withHeaders(func(word int) { d.needBlock("'with' statement", word) }) })
	d.tok(kwAsync)
	if !d.tok(kwWith) {
		return false
	}
	begin := d.pos
	if d.tok(opLeftParen) && len(d.several(opComma, d.withItem)) > 0 {
		d.tok(opComma)
		if d.tok(opRightParen) && d.body() {
			return true
		}
	}
	d.pos = begin
	if len(d.several(opComma, d.withItem)) > 0 && d.body() {
		return true
	}
	d.pos = at
	d.try(func() {
		if d.minor >= 14 {
			d.trailingItem()
			d.pos = at
		}
		d.withHeaders(func(int) {
			if d.tok(symNewline) {
				d.raise("expected ':'")
			}
		})
	})
	return false
}

// withHeaders runs a check behind the header of a with statement in both of its forms.
func (d *diagnosis) withHeaders(check func(word int)) {
	d.tok(kwAsync)
	word := d.pos
	for _, paren := range []bool{false, true} {
		d.pos = word
		if d.tok(kwWith) && d.withHeader(paren) {
			check(word)
		}
	}
}

// trailingItem finds a comma behind the last item.
func (d *diagnosis) trailingItem() {
	d.tok(kwAsync)
	if d.tok(kwWith) && d.withHeader(false) {
		if a := d.leaf(opComma); a != nil && d.tok(opColon) {
			d.raiseAt(a, "the last 'with' item has a trailing comma")
		}
	}
}

func (d *diagnosis) withItem() *node {
	at := d.pos
	if d.expression() != nil && d.tok(kwAs) && d.starTarget() != nil && d.at(opComma, opRightParen, opColon) {
		return d.yes
	}
	d.pos = at
	d.try(func() {
		if d.expression() != nil && d.tok(kwAs) {
			if a := d.expression(); a != nil && d.at(opComma, opRightParen, opColon) {
				d.raiseTarget(a, forAssignment)
			}
		}
	})
	return d.expression()
}
