package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"manualslop/events"
)

// Sources holds the locations of the layers of a configuration. Later layers override earlier ones, except that the
// project's can only make things stricter: defaults, UserDir/config.toml, File, ProjectDir/slop.toml.
type Sources struct {
	// ProjectDir is the folder of slop.toml, which may be missing. Relative paths in any layer
	// start here. Empty means the working directory.
	ProjectDir string
	// UserDir is the folder of config.toml, which may be missing. Empty means [UserDir] with this process's
	// environment.
	UserDir string
	// File is the user's additional file, from --config. It must exist if it is named.
	File string
	// OSUser is the user's name if no layer gives one; characters that are not allowed in an actor's name are
	// replaced. Empty leaves the name empty.
	OSUser string
}

// UserDir returns the folder of the user's configuration: slop below $XDG_CONFIG_HOME, or below ~/.config, or below
// %AppData%. It returns "" if none of them is set.
func UserDir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "slop")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "slop")
	}
	if dir := getenv("AppData"); dir != "" {
		return filepath.Join(dir, "slop")
	}
	return ""
}

// userDirOr returns dir, or if it is empty the folder of this process's environment.
func userDirOr(dir string) string {
	if dir != "" {
		return dir
	}
	return UserDir(os.Getenv)
}

// Load reads and merges all layers and checks the result. Every error it returns wraps one or more [Error], each with
// file and line.
func Load(sources Sources) (Config, error) {
	projectDir, err := filepath.Abs(sources.ProjectDir)
	if err != nil {
		return Config{}, &Error{Kind: ConfigUnreadable, File: sources.ProjectDir,
			Problem: "cannot be made an absolute path", cause: err}
	}
	layers := &layers{config: Default(), places: map[string]origin{}}
	if dir := userDirOr(sources.UserDir); dir != "" {
		if err := layers.file(filepath.Join(dir, "config.toml"), true); err != nil {
			return Config{}, err
		}
	}
	if sources.File != "" {
		if err := layers.file(sources.File, false); err != nil {
			return Config{}, err
		}
	}
	if err := layers.personRoster(userDirOr(sources.UserDir)); err != nil {
		return Config{}, err
	}
	if err := layers.validate(); err != nil {
		return Config{}, err
	}
	person := layers.config
	person.Tiers = maps.Clone(person.Tiers)
	if err := layers.projectRoster(projectDir); err != nil {
		return Config{}, err
	}
	layers.config.Files = absoluteFiles(layers.config.Files, projectDir)
	if err := layers.project(projectDir); err != nil {
		return Config{}, err
	}
	if err := layers.placed(looserTiers(person, layers.config)); err != nil {
		return Config{}, err
	}
	if layers.config.User.Name == "" && sources.OSUser != "" {
		layers.config.User.Name = withPerson(sources.OSUser)
	}
	return layers.config, layers.validate()
}

// withPerson converts a user name of the operating system to an actor's name.
func withPerson(user string) string {
	if name := events.Token(user); events.IsPerson(name) {
		return name
	}
	return events.Token("person-" + user)
}

// file applies one of the user's files.
func (l *layers) file(path string, optional bool) error {
	doc, layer, err := readLayer(path)
	if optional && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.apply(doc, layer)
	return nil
}

func readLayer(path string) (*document, Config, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, Config{}, err
	}
	return decodeLayer(path, text)
}

func decodeLayer(path string, text []byte) (*document, Config, error) {
	var layer Config
	doc, err := decodeDocument(path, text, schema(reflect.TypeFor[Config]()), &layer)
	if err != nil {
		return nil, Config{}, err
	}
	doc.spreadTiers(&layer)
	return doc, layer, nil
}

// project applies slop.toml to the user's configuration, after checking that nothing becomes less strict.
func (l *layers) project(projectDir string) error {
	doc, layer, err := readLayer(filepath.Join(projectDir, "slop.toml"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	person := l.config
	found := checkProject(doc, person, layer)
	narrowed, outside := narrowFiles(person, layer.Files, projectDir)
	for _, e := range outside {
		e.File, e.Line = doc.file, doc.lineOf(e.Key)
	}
	if found = firstPerKey(append(found, outside...)); len(found) > 0 {
		return joinErrors(found)
	}
	layer.Files = narrowed
	l.apply(doc, layer)
	return l.stillNarrow(doc, person, projectDir)
}

// stillNarrow rejects a project that opens folders by removing entries, such as with an empty list of tracked files,
// which would open the whole project.
func (l *layers) stillNarrow(doc *document, person Config, projectDir string) error {
	opened := OpenedDirs(person, projectDir)
	for _, dir := range l.config.BaseDirs(projectDir) {
		if real, err := RealPath(dir); err != nil || !InsideAny(opened, real) {
			line := max(doc.lineOf("files.tracked"), doc.lineOf("files.base_dirs"))
			return &Error{
				Kind: ConfigNotAllowed, File: doc.file, Line: line, Key: "files",
				Problem: fmt.Sprintf("would open %q to tools", dir), Hint: onlyThePerson,
			}
		}
	}
	return nil
}

// validate checks the merged configuration and adds the positions of the mistakes.
func (l *layers) validate() error {
	err := l.config.Validate()
	var found errorList
	if err != nil && !errors.As(err, &found) {
		return err
	}
	return l.placed(append(found, l.modelless()...))
}

// placed adds the positions of mistakes, and reports only once a mistake that all tiers share. It returns nil for an
// empty list.
func (l *layers) placed(found []*Error) error {
	var told []*Error
	for _, e := range found {
		place := l.placeOf(e.Key)
		e.File, e.Line = place.file, place.line
		if place.all {
			e.Key = writtenForAll(e.Key)
		}
		if !place.all || !slices.ContainsFunc(told, func(t *Error) bool { return t.Key == e.Key }) {
			told = append(told, e)
		}
	}
	return joinErrors(told)
}

// placeOf returns where a key was last set, or the nearest table around it.
func (l *layers) placeOf(key string) origin {
	for ; key != ""; key = parentKey(key) {
		if place, known := l.places[key]; known {
			return place
		}
	}
	return origin{}
}
