// Package summary describes the content of a file in a few lines: the imports, classes and functions of a Python
// module, the sections of an INI file, the headings of a Markdown file, the keys of a JSON file, the kind of a
// binary file, and whether a text looks generated or minified. Package syntax outlines files of other formats.
//
// It reads decoded text and touches no files. Nothing here fails: anything that cannot be parsed is left out, and
// a warning of the [Summary] says so. The time is linear in the size of the text.
package summary

// Summary describes the content of a file.
type Summary struct {
	// Format is the name of the format, such as "JSON".
	Format string
	// Doc is the file's own description, such as the paragraph under the first heading.
	Doc string
	// Sections are the items found, grouped, in file order.
	Sections []Section
	// Warnings describe problems of the file.
	Warnings []string
}

// Section is a group of items of one kind.
type Section struct {
	Title string
	Items []Item
}

// Item is one entry of a section.
type Item struct {
	Name  string // a heading, a key, a section
	Line  int    // 1-based
	End   int    // last line if the item spans several, otherwise 0
	Depth int    // nesting below the preceding items, from 0
	Text  string // details, such as the keys of a section
}
