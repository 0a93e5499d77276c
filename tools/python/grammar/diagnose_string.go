package grammar

// strings reads string literals side by side.
func (d *diagnosis) strings() *node {
	return d.remembered(ruleStrings, func() *node {
		at := d.pos
		var seen literals
		wrong := ""
		for {
			here := d.pos
			if d.tok(symString) {
				if wrong == "" {
					wrong = wrongLiteral(d.text(here))
				}
				if wrong == notASCII {
					d.raiseAt(d.span(kString, here), wrong)
				} else if wrong != "" && d.minor >= 12 {
					d.raise(wrong)
				}
			} else if !d.at(symFStart) || !d.fstring() {
				break
			}
			seen.add(d.text(here))
		}
		if wrong == "" {
			wrong = seen.mixed()
		}
		if wrong != "" {
			d.raise(wrong)
		}
		if d.pos == at {
			return nil
		}
		return d.span(kString, at)
	})
}

func (d *diagnosis) fstring() bool {
	at := d.pos
	d.pos++
	for d.tok(symFMiddle) || d.replacement() {
	}
	if d.tok(symFEnd) {
		return true
	}
	d.pos = at
	return false
}

// stringLetter is the letter that messages about the string around a token begin with.
func (d *diagnosis) stringLetter(at int) string {
	level := 0
	for i := at; i >= 0; i-- {
		switch d.toks[i].sym {
		case symFEnd:
			level++
		case symFStart:
			if level == 0 {
				for _, c := range []byte(d.text(i)) {
					if c|0x20 == 't' {
						return "t"
					}
				}
				return "f"
			}
			level--
		}
	}
	return "f"
}

// replacement reads a replacement field.
func (d *diagnosis) replacement() bool {
	at := d.pos
	if d.tok(opLeftBrace) && d.yieldOrStars() != nil {
		d.tok(opAssign)
		d.optional(d.conversion)
		d.optional(func() bool { return d.tok(opColon) && d.spec() })
		if d.tok(opRightBrace) {
			return true
		}
	}
	d.pos = at
	d.try(d.invalidReplacement)
	d.pos = at
	return false
}

// spec reads a format specification.
func (d *diagnosis) spec() bool {
	for d.tok(symFMiddle) || d.replacement() {
	}
	return true
}

// conversion reads "!r"; a wrong one is an error at once.
func (d *diagnosis) conversion() bool {
	a := d.leaf(opExclamation)
	if a == nil {
		return false
	}
	b := d.name()
	if b == nil {
		return false
	}
	letter := d.stringLetter(int(a.token))
	if a.end != b.start {
		mark := "exclamanation" // sic
		if d.minor >= 14 {
			mark = "exclamation"
		}
		d.raiseRange(a, b, letter+"-string: conversion type must come right after the "+mark+" mark")
	}
	switch text := d.text(int(b.token)); text {
	case "s", "r", "a":
	default:
		d.raiseAt(b, letter+"-string: invalid conversion character '"+text+"': expected 's', 'r', or 'a'")
	}
	return true
}

func (d *diagnosis) invalidReplacement() {
	at := d.pos
	if !d.tok(opLeftBrace) {
		return
	}
	letter := d.stringLetter(at) + "-string: "
	if s := d.sym(); s == opAssign || s == opExclamation || s == opColon || s == opRightBrace {
		here := d.pos
		d.pos++
		d.raiseAt(d.span(kInvalid, here), letter+"valid expression required before '"+s.spelling()+"'")
	}
	begin := d.pos
	if d.yieldOrStars() == nil {
		d.pos = begin
		d.raiseNext(letter + "expecting a valid expression after '{'")
	}
	if !d.at(opAssign, opExclamation, opColon, opRightBrace) {
		d.raiseNext(letter + "expecting '=', or '!', or ':', or '}'")
	}
	if d.tok(opAssign) && !d.at(opExclamation, opColon, opRightBrace) {
		d.raiseNext(letter + "expecting '!', or ':', or '}'")
	}
	if d.tok(opExclamation) {
		if d.at(opColon, opRightBrace) {
			d.raiseNext(letter + "missing conversion character")
		}
		if !d.tok(symName) {
			d.raiseNext(letter + "invalid conversion character")
		}
	}
	if !d.at(opColon, opRightBrace) {
		d.raiseNext(letter + "expecting ':' or '}'")
	}
	if d.tok(opColon) {
		d.spec()
		if !d.at(opRightBrace) {
			d.raiseNext(letter + "expecting '}', or format specs")
		}
	}
}
