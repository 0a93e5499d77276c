package summary

import (
	"regexp"
	"strings"
	"sync"

	"manualslop/tools/document"
)

// maxHeadLines limits the lines at the top of a file that are examined.
const maxHeadLines = 200

var (
	commentSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?://[/!]*|#+(?:\s|$)|--+|;+|%+|/\*[*!]*|\*/|\*+|<!--|\{-\|?|\(\*)\s?`)
	})
	commentEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s*(?:\*+/|-->|-\}|\*\))\s*$`)
	})
	blockSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:/\*|<!--|\{-|\(\*)`)
	})
	directive = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:#!|#ifndef |#define \w+$|#pragma once|//go:|// \+build|<\?|# .*-\*-|["']use )`)
	}) // lines without information
	legal = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)copyright|licen[sc]e|SPDX|all rights reserved|-\*-|^vim?:`)
	})
)

// HeadComment returns the first paragraph of the comment at the top of a program, in any language, that is more
// than a copyright notice. It recognises the lines of block comments by their markers.
func HeadComment(text string) string {
	var found []string
	inBlock := false
	for i, l := range document.Lines(text[:min(len(text), 64<<10)]) {
		line := strings.TrimSpace(text[l.Start:l.End])
		if directive().MatchString(line) || i >= maxHeadLines {
			continue
		}
		comment := inBlock || commentSign().MatchString(line)
		said := strings.TrimSpace(commentEnd().ReplaceAllString(commentSign().ReplaceAllString(line, ""), ""))
		inBlock = (inBlock || blockSign().MatchString(line)) && !commentEnd().MatchString(line)
		if comment && said != "" {
			found = append(found, said)
			continue
		}
		if len(found) > 0 && !legal().MatchString(strings.Join(found, " ")) {
			return strings.Join(found, " ")
		}
		found = nil
		if line != "" && !comment {
			return ""
		}
	}
	if legal().MatchString(strings.Join(found, " ")) {
		return ""
	}
	return strings.Join(found, " ")
}
