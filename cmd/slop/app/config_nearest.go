package app

import "strings"

// keyHint proposes the valid key that was probably meant: the nearest in the same table, else
// the same name elsewhere, else the list of what the table knows.
func keyHint(schema, table *configKey, wrong string) string {
	if near := nearest(wrong, table.children); near != nil {
		return "did you mean `" + near.name + "`?"
	}
	for _, leaf := range schema.leaves() {
		if strings.EqualFold(leaf.name, wrong) {
			return "did you mean `" + leaf.path + "`?"
		}
	}
	if near := nearest(wrong, schema.leaves()); near != nil {
		return "did you mean `" + near.path + "`?"
	}
	names := make([]string, len(table.children))
	for i, child := range table.children {
		names[i] = child.name
	}
	return "valid here: " + strings.Join(names, ", ")
}

// nearest finds the key whose name takes the fewest edits, if they are few for its length;
// nil otherwise. The first of equals wins.
func nearest(wrong string, among []*configKey) *configKey {
	var best *configKey
	least := 0
	for _, key := range among {
		distance := editDistance(strings.ToLower(wrong), strings.ToLower(key.name))
		if distance > max(2, len(key.name)/3) || distance >= len(key.name) {
			continue
		}
		if best == nil || distance < least {
			best, least = key, distance
		}
	}
	return best
}

// maxComparedKey bounds the work that a hostile key can cause, in bytes.
const maxComparedKey = 64

// editDistance is the least number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	if len(a) > maxComparedKey || len(b) > maxComparedKey {
		return max(len(a), len(b))
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
