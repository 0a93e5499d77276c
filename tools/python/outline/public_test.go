package outline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/python"
)

func TestAllIsReadWhereItIsPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"__all__ = ['a', \"b\",\n  r'c']  # x\n":              {"a", "b", "c"},
		"__all__ = 'a', '''b'''\n":                            {"a", "b"},
		"__all__ = []\n":                                      nil,
		"__all__: list[str] = ['a']\n__all__ += ['a', 'b']\n": {"a", "b"},
	} {
		names, ok := Exported(python.Parse(text))
		require.True(t, ok, text)
		require.Equal(t, want, names, text)
	}
	for _, text := range []string{"", "__all__: list\n", "__all__ = dir()\n", "__all__ = ['a' 'b']\n",
		"__all__ = ['a'] + x\n", "__all__ = ['\\x61']\n", "__all__ = [b'a']\n", "class A:\n  __all__ = ['a']\n"} {
		_, ok := Exported(python.Parse(text))
		require.False(t, ok, text)
	}
}

func TestUnderscoresMakeMembersPrivate(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a": true, "_a": false, "__a": false, "__a__": true, "__": false,
		"____": false, "_": false} {
		require.Equal(t, want, IsPublic(name), name)
	}
}
