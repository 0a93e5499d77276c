package hookclient

import "slices"

// Methods lists every method of the client, in groups, by its name in Manual Slop.
func Methods() []Method {
	return slices.Concat(stateMethods(), guiMethods(), pollMethods(), askMethods(), teamMethods(), changeMethods(),
		contextMethods(), telemetryMethods(), headlessMethods())
}

// text returns a parameter that is used as it is.
func text(name string) Parameter { return Parameter{Name: name, Kind: KindText} }

// optional makes a parameter optional.
func optional(p Parameter) Parameter {
	p.Optional = true
	return p
}
