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
	if noun := firstArgument(cmd); check != nil && noun != "" {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			switch {
			case err == nil:
				return nil
			case len(args) > 0:
				err = fmt.Errorf("too many arguments: %d", len(args))
			case strings.HasPrefix(noun, "FILE"):
				err = errors.New("no FILE given (- is standard input)")
			default:
				err = fmt.Errorf("no %s given", strings.TrimSuffix(noun, "..."))
			}
			return fmt.Errorf("%w; usage: %s; see %s --help", err, cmd.UseLine(), cmd.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
}

// firstArgument returns the first argument in the usage of a command, such as FILE... in "convert
// --to FORMAT FILE...".
func firstArgument(cmd *cobra.Command) string {
	words := strings.Fields(cmd.Use)[1:]
	for i, word := range words {
		afterFlag := i > 0 && strings.HasPrefix(strings.TrimPrefix(words[i-1], "["), "-")
		if word == strings.ToUpper(word) && !afterFlag && !strings.HasPrefix(word, "[") {
			return word
		}
	}
	return ""
}
