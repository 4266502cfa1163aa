package main

import (
	"regexp"
	"strings"
)

// completionFlag is what the scripts of --completion-script-bash and
// --completion-script-zsh call the program with, the words so far behind it.
const completionFlag = "--completion-bash"

// completing leaves out the word that is being completed where it is the
// command: kingpin would take it for an argument of the command that is run by
// default, and offer nothing. The shell picks those that begin with the word.
func completing(args []string) []string {
	if len(args) == 2 && args[0] == completionFlag && !strings.HasPrefix(args[1], "-") {
		return args[:1]
	}
	return args
}

// plainWord is a name that a shell takes as one word without quotes.
const plainWord = `^[\w.:/@%+,-]+$`

// dependencyHints offers the names that the configuration holds. A file that
// cannot be read offers none.
func dependencyHints(configFile *string) func() []string {
	return func() []string {
		cfg, err := loadConfig(*configFile)
		if err != nil {
			return nil
		}
		plain, names := regexp.MustCompile(plainWord), []string(nil)
		for _, d := range cfg.Dependencies {
			if plain.MatchString(d.Name) {
				names = append(names, d.Name)
			}
		}
		return names
	}
}
