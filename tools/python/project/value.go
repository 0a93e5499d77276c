package project

import (
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// kind is what a value is.
type kind uint8

const (
	kindUnknown   kind = iota // nothing is known
	kindModule                // unit, or folder of a namespace package
	kindClass                 // unit, symbol
	kindFunction              // unit, symbol
	kindInstance              // of the class unit, symbol
	kindSuper                 // super() of the class unit, symbol
	kindVariable              // unit, scope, name: a name whose value is not known any closer
	kindParameter             // unit, scope, name: the same for a parameter
	kindLibrary               // name: dotted, of something outside of the project
	kindBuiltin               // name
)

// value is what an expression may stand for, as far as that can be told without running it.
type value struct {
	kind   kind
	unit   *Unit
	symbol *python.Symbol
	scope  *grammar.Scope
	name   string
	folder string
	owner  *owner // of a function found as a member: the class it was looked up on
}

// owner is a class on which a member was looked up.
type owner struct {
	unit   *Unit
	symbol *python.Symbol
}

// same tells whether two values are the same thing of the project.
func (v value) same(o value) bool {
	return v.kind == o.kind && v.unit == o.unit && v.symbol == o.symbol && v.scope == o.scope && v.name == o.name &&
		v.folder == o.folder
}

func classValue(u *Unit, s *python.Symbol) value { return value{kind: kindClass, unit: u, symbol: s} }

func instanceOf(class value) value {
	class.kind = kindInstance
	return class
}

func library(name string) value { return value{kind: kindLibrary, name: name} }

func moduleValue(at place) value { return value{kind: kindModule, unit: at.unit, folder: at.folder} }

// isFunction tells a function or method from a class.
func isFunction(s *python.Symbol) bool { return s != nil && s.Kind != python.KindClass }

func isClass(s *python.Symbol) bool { return s != nil && s.Kind == python.KindClass }

// String names the value for people.
func (v value) String() string {
	switch v.kind {
	case kindModule:
		if v.unit != nil {
			return v.unit.Path
		}
		return v.folder + "/"
	case kindClass, kindFunction, kindInstance, kindSuper:
		return v.unit.Path + ":" + v.symbol.Path
	case kindVariable, kindParameter:
		return v.unit.Path + ":" + v.name
	}
	return v.name
}

// mostValues bounds how many things one expression may stand for.
const mostValues = 12

// union adds values that are not there yet.
func union(values []value, more ...value) []value {
	for _, v := range more {
		if len(values) < mostValues && !slices.ContainsFunc(values, v.same) {
			values = append(values, v)
		}
	}
	return values
}

// known drops what says nothing.
func known(values []value) []value {
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v.kind == kindUnknown })
}
