package cfamily

// trailers are words that may follow a function's parameters.
var trailers = words(
	`const volatile noexcept throw override final try requires restrict __attribute__ __attribute __asm__ __asm asm mutable`)

// trailed reports whether the tokens after a group of parameters can follow it.
func (r *reader) trailed(f callable, group int, h *head) bool {
	k := r.behind(group)
	if k >= len(r.tokens) {
		return false
	}
	switch r.byteAt(k) {
	case '{', ';', '&', '[', '=', '-':
		return true
	case ':':
		return r.single(k)
	case ',':
		return f.typed
	case '(':
		return r.byteAt(group+1) == '*' || f.at > group
	}
	if !r.word(k) {
		return false
	}
	name := r.str(k)
	switch {
	case trailers[name] || attribute(name):
		return !f.macro || trailers[name] || r.byteAt(k+1) == '{'
	case r.byteAt(k+1) == '{' || r.byteAt(k+1) == ';':
		return true
	}
	return !r.cpp && r.names(group) && r.old(k)
}

// names reports whether the parameters of a group are names without types.
func (r *reader) names(group int) bool {
	last := int(r.pair[group])
	if last >= len(r.tokens) || last == group+1 {
		return false
	}
	for k := group + 1; k < last; k += 2 {
		if !r.word(k) || k+1 < last && r.byteAt(k+1) != ',' {
			return false
		}
	}
	return true
}

// old reports whether declarations of parameters begin at k and continue up to a "{".
func (r *reader) old(k int) bool {
	const most = 600
	words := 0
	for n := k; n < min(len(r.tokens), k+most); n++ {
		switch b := r.byteAt(n); {
		case r.word(n):
			words++
		case b == ';':
			if words < 2 {
				return false
			}
			words = 0
			if r.byteAt(n+1) == '{' {
				return true
			}
		case b == '(' || b == '[':
			n = r.behind(n) - 1
		case b != '*' && b != ',':
			return false
		}
	}
	return false
}

// oldStyle reports whether the ";" at j ends the declaration of an old-style C parameter, before the function's body.
func (r *reader) oldStyle(j, end int, h *head) bool {
	if h.typedef || h.equals >= 0 || len(h.groups) == 0 {
		return false
	}
	for _, group := range h.groups {
		k := r.behind(group)
		if k <= j && r.names(group) && r.word(k) && r.old(k) {
			return true
		}
	}
	return false
}

// typeWords are words that can begin only a parameter.
var typeWords = words(
	`void int char bool float double long short unsigned signed const struct union enum class auto typename volatile size_t _Bool wchar_t register`)

// parameters reports whether a group without a body holds parameters rather than arguments.
func (r *reader) parameters(f callable, in around) bool {
	if in.class != "" || f.at > f.group {
		return true
	}
	if !f.typed {
		return f.symbol.Kind == "constructor" || f.symbol.Kind == "destructor"
	}
	k, last := f.group+1, int(r.pair[f.group])
	switch {
	case k >= last || typeWords[r.str(k)] || r.is(k, "..."):
		return true
	case !r.word(k) && !r.is(k, "::") && r.byteAt(k) != '[':
		return false
	}
	for n := k; n < last; n++ {
		switch b := r.byteAt(n); {
		case b == '(' || b == '[' || b == '{':
			n = r.behind(n) - 1
		case b == ',' && n < last:
			return !r.cpp || f.typed && r.declares(k, n)
		}
	}
	return r.declares(k, last)
}

// declares reports whether tokens look like a parameter: two adjacent words, or a star or reference after a word.
// In C, a single word is taken as a type.
func (r *reader) declares(first, end int) bool {
	for k := first + 1; k < end; k++ {
		switch b := r.byteAt(k); {
		case r.word(k) && (r.word(k-1) || r.byteAt(k-1) == '>'), b == '*', b == '&':
			return true
		}
	}
	return end == first+1 && !r.cpp || r.byteAt(end-1) == '>'
}
