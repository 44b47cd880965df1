package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// explainArgs makes wrong numbers of arguments errors that say what the command takes.
func explainArgs(cmd *cobra.Command) {
	check := cmd.Args
	if nouns := arguments(cmd); check != nil && len(nouns) > 0 {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			if len(args) >= len(nouns) {
				err = fmt.Errorf("too many arguments: %d", len(args))
			} else {
				err = missingArgument(nouns, len(args))
			}
			return fmt.Errorf("%w; usage: %s; see %s --help", err, cmd.UseLine(), cmd.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
}

// missingArgument returns the error about the first argument that is not there, of which given are.
func missingArgument(nouns []string, given int) error {
	noun := strings.TrimSuffix(nouns[given], "...")
	switch {
	case given > 0 && nouns[given-1] == noun:
		return fmt.Errorf("only one %s given", noun)
	case nouns[given] == "FILE...":
		return errors.New("no FILE given (- is standard input)")
	}
	return fmt.Errorf("no %s given", noun)
}

// arguments returns the arguments that the usage of a command requires, such as FILE... in "convert
// --to FORMAT FILE...".
func arguments(cmd *cobra.Command) (nouns []string) {
	words := strings.Fields(cmd.Use)[1:]
	for i, word := range words {
		afterFlag := i > 0 && strings.HasPrefix(strings.TrimPrefix(words[i-1], "["), "-")
		if word == strings.ToUpper(word) && !afterFlag && !strings.HasPrefix(word, "[") {
			nouns = append(nouns, word)
		}
	}
	return nouns
}
