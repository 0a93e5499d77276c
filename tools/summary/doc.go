// Package summary tells in a few lines what a file holds: the imports, classes and functions of a
// Python module, the sections of an INI file, the headings of a Markdown file, the keys of a JSON
// file, what kind of binary file it is, and whether a text looks generated or minified. Files of
// other formats are outlined by package syntax.
//
// It reads decoded text and touches no files. Nothing here fails: what is not understood is left
// out, and a warning of the [Summary] says so. The time is linear in the size of the text.
package summary

// Summary is what a file holds.
type Summary struct {
	// Format is the name of the format, such as "JSON".
	Format string
	// Doc is what the file says about itself, such as the paragraph under the first heading.
	Doc string
	// Sections are the things found, grouped, in order of the file.
	Sections []Section
	// Warnings say what is wrong with the file.
	Warnings []string
}

// Section is a group of things of one sort.
type Section struct {
	Title string
	Items []Item
}

// Item is one thing found in a file.
type Item struct {
	Name  string // a heading, a key, a section
	Line  int    // counted from 1
	End   int    // last line where the item has several, else 0
	Depth int    // nesting below the items before it, from 0
	Text  string // what is to be said about it, such as the keys of a section
}
