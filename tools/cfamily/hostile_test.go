package cfamily_test

import (
	"strings"
	"testing"

	"manualslop/tools/cfamily"
)

// Pieces that open, close, cut and name, over and over: none may take more than linear time, near
// enough, or exhaust a stack.
func TestHostileTextsEndWell(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a<", "<", "(", ")", "{", "}", "[", "[[", "f(a) int b;", "f(a) int b ", "f(a)", "operator", "operator<", "operator(",
		"a(",
		"template<", "template<a>", "class a", "class a{", "struct a:", "struct a<", "a::", "A(x)", "A(x)\n",
		"requires", "requires(", "requires a<",
		"#if 1\n", "#if 1\na;\n#else\n", "#else\n", "#endif\n", "#define A(x) x\n", "#define A B\n", "/*", "//\n", "\\\n",
		"R\"(", "\"", "'",
		"typedef struct{", "typedef a(", "namespace a{", "namespace ", "enum a:", "f(){}", "a b=", "a b={", ": a", ": a{",
		"f():a(", "f()[", "try", "catch(", "using a=", "extern \"C\"{", "public:", "A B C ", "~", "a>",
		"a b;", "a b[1],", "(*f(", "&", "=", ";", "friend a(", "alignas(", "__attribute__((", "f(a,b) int a; int b; ",
		"X::X(", "a<b>::", "}\n", "  }\n{\n",
	}
	for i, piece := range pieces {
		for _, text := range []string{strings.Repeat(piece, 5_000), strings.Repeat(piece+pieces[(i*7+3)%len(pieces)],
			1_000)} {
			for _, language := range []cfamily.Language{cfamily.C, cfamily.CPP} {
				file := cfamily.Read(text, language, cfamily.Learn(text))
				checkFile(t, file)
				file.Problems()
				file.Skeleton()
			}
		}
	}
}

// Scopes that are no symbols nest, too.
func TestDeepNestingDoesNotExhaustTheStack(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"struct{", "extern \"C\"{", "namespace{", "class A{", "export{", "namespace a{"} {
		checkFile(t, cfamily.Read(strings.Repeat(piece, 200_000), cfamily.CPP, cfamily.Macros{}))
	}
}
