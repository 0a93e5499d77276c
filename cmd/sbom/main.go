// Command sbom prints the bill of materials of a built Go program as CycloneDX JSON: the modules that the program's
// build information lists. The same program yields the same bytes. It is used by "make release".
//
//	go run ./cmd/sbom NAME VERSION PROGRAM
//
// If the environment variable SOURCE_DATE_EPOCH is set, in seconds since 1970, the bill contains that time; otherwise
// it contains none.
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run prints the bill of the program in args.
func run(args []string, epoch string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("got %d arguments; usage: sbom NAME VERSION PROGRAM", len(args))
	}
	built, err := buildinfo.ReadFile(args[2])
	if err != nil {
		return err
	}
	bom, err := billOf(args[0], args[1], built)
	if err != nil {
		return err
	}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH: must be a number of seconds, got %q", epoch)
		}
		bom.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
}

// billOf returns the bill of a program. Its serial number is derived from its content.
func billOf(name, version string, built *debug.BuildInfo) (*cdx.BOM, error) {
	itself := cdx.Component{BOMRef: "pkg:golang/" + built.Main.Path + "@" + version, Type: cdx.ComponentTypeApplication,
		Name: name, Version: version}
	parts := []cdx.Component{library("std", built.GoVersion, "")}
	for _, m := range built.Deps {
		used := m
		if m.Replace != nil {
			used = m.Replace
		}
		parts = append(parts, library(used.Path, used.Version, used.Sum))
	}
	refs := make([]string, len(parts))
	for i, p := range parts {
		refs[i] = p.BOMRef
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &itself}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: itself.BOMRef, Dependencies: &refs}}
	content, err := json.Marshal([]any{itself, parts})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, sum[:]).URN()
	return bom, nil
}

// library returns one module, with its sum in the notation of go.sum if it has one.
func library(path, version, sum string) cdx.Component {
	version = cmp.Or(version, "unknown")
	url := "pkg:golang/" + path + "@" + version
	out := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
	if sum != "" {
		out.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
	}
	return out
}
