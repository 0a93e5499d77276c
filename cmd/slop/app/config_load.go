package app

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

// ConfigSources says where the layers of a configuration are. Later ones win, but for the
// project's, which can only make things stricter:
// defaults, UserDir/config.toml, File, ProjectDir/slop.toml.
type ConfigSources struct {
	// ProjectDir is the folder of slop.toml, which may be missing. Relative paths in any layer
	// start here. Empty means the working directory.
	ProjectDir string
	// UserDir is the folder of config.toml, which may be missing. Empty means what
	// [UserConfigDir] makes of this process's environment.
	UserDir string
	// File is the person's additional file, from --config. It must exist if it is named.
	File string
	// OSUser is the person's name where no layer gives one; what is not allowed in an actor's
	// name is replaced. Empty leaves the name empty.
	OSUser string
}

// UserConfigDir is the folder of the person's configuration: slop below $XDG_CONFIG_HOME, or
// below ~/.config, or below %AppData%. It is empty where none of them is set.
func UserConfigDir(getenv func(string) string) string {
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

// userDirOr is the folder given, or the one of this process's environment.
func userDirOr(dir string) string {
	if dir != "" {
		return dir
	}
	return UserConfigDir(os.Getenv)
}

// LoadConfig reads and joins all layers and checks the result. Every error it returns wraps
// one or more [ConfigError], each with file and line.
func LoadConfig(sources ConfigSources) (Config, error) {
	projectDir, err := filepath.Abs(sources.ProjectDir)
	if err != nil {
		return Config{}, &ConfigError{Kind: ConfigUnreadable, File: sources.ProjectDir, Problem: "has no absolute path", cause: err}
	}
	layers := &configLayers{config: DefaultConfig(), places: map[string]configPlace{}}
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
		layers.config.User.Name = configPerson(sources.OSUser)
	}
	return layers.config, layers.validate()
}

// configPerson makes an actor's name of a user name of the operating system.
func configPerson(user string) string {
	if name := events.Token(user); events.IsPerson(name) {
		return name
	}
	return events.Token("person-" + user)
}

// file lays one of the person's files over what is there.
func (l *configLayers) file(path string, optional bool) error {
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

func readLayer(path string) (*configDocument, Config, error) {
	text, err := readConfigFile(path)
	if err != nil {
		return nil, Config{}, err
	}
	var layer Config
	doc, err := decodeDocument(path, text, configSchema(reflect.TypeFor[Config]()), &layer)
	if err != nil {
		return nil, Config{}, err
	}
	doc.spreadTiers(&layer)
	return doc, layer, nil
}

// project lays slop.toml over the person's configuration, after making sure that nothing
// becomes less strict.
func (l *configLayers) project(projectDir string) error {
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
		return joinConfigErrors(found)
	}
	layer.Files = narrowed
	l.apply(doc, layer)
	return l.stillNarrow(doc, person, projectDir)
}

// stillNarrow refuses a project that opens folders by taking entries away, such as an empty
// list of tracked files, without which the whole project would be open.
func (l *configLayers) stillNarrow(doc *configDocument, person Config, projectDir string) error {
	opened := openedDirs(person, projectDir)
	for _, dir := range l.config.BaseDirs(projectDir) {
		if real, err := realPath(dir); err != nil || !insideAny(opened, real) {
			line := max(doc.lineOf("files.tracked"), doc.lineOf("files.base_dirs"))
			return &ConfigError{
				Kind: ConfigNotAllowed, File: doc.file, Line: line, Key: "files",
				Problem: fmt.Sprintf("would open %q to tools", dir), Hint: onlyThePerson,
			}
		}
	}
	return nil
}

// validate checks the joined configuration and adds the places of what is wrong.
func (l *configLayers) validate() error {
	err := l.config.Validate()
	var found configErrors
	if err != nil && !errors.As(err, &found) {
		return err
	}
	return l.placed(append(found, l.modelless()...))
}

// placed adds the places of what is wrong, and tells once what is wrong of all
// tiers alike; nil for an empty list.
func (l *configLayers) placed(found []*ConfigError) error {
	var told []*ConfigError
	for _, e := range found {
		place := l.placeOf(e.Key)
		e.File, e.Line = place.file, place.line
		if place.all {
			e.Key = writtenForAll(e.Key)
		}
		if !place.all || !slices.ContainsFunc(told, func(t *ConfigError) bool { return t.Key == e.Key }) {
			told = append(told, e)
		}
	}
	return joinConfigErrors(told)
}

// placeOf is where a key was last set, or the nearest table around it.
func (l *configLayers) placeOf(key string) configPlace {
	for ; key != ""; key = parentKey(key) {
		if place, known := l.places[key]; known {
			return place
		}
	}
	return configPlace{}
}
