package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdata/internal/hint"
)

// This file is about mistakes in a command line. Cobra's own errors count arguments, and print the
// whole usage; these say which argument is missing, or what the user probably meant.

// finish completes a command and the commands below it. The usage line names the arguments, and the
// usage of a flag its value, so no command has to say twice how many arguments it takes, or which
// values the shell must not complete by the names of files.
func finish(cmd *cobra.Command) {
	nouns, most := arguments(cmd)
	// refuseUnknown has set the check of a command that has only subcommands, and that check stays.
	if cmd.Args == nil && cmd.RunE != nil {
		cmd.Args = cobra.RangeArgs(len(nouns), most)
	}

	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, isCompleted := cmd.GetFlagCompletionFunc(f.Name)
		value, _ := pflag.UnquoteUsage(f) // empty for a flag without a value
		if !isCompleted && value != "" && !strings.EqualFold(value, "FILE") && value != "DIR" {
			complete(cmd, f.Name)
		}
	})

	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			switch given := len(args); {
			case given >= len(nouns):
				err = fmt.Errorf("too many arguments: %d", given)
			// FILE... stands for one FILE or more, of which the first is missing.
			case given > 0 && nouns[given-1] == strings.TrimSuffix(nouns[given], "..."):
				err = fmt.Errorf("only one %s given", nouns[given-1])
			case nouns[given] == "FILE...":
				err = errors.New("no FILE given (- is standard input)")
			default:
				err = fmt.Errorf("no %s given", strings.TrimSuffix(nouns[given], "..."))
			}
			return fmt.Errorf("%w; usage: %s; see %s --help", err, cmd.UseLine(), cmd.CommandPath())
		}
	}

	for _, sub := range cmd.Commands() {
		finish(sub)
	}
}

// arguments returns the arguments that the usage of a command requires, such as FILE... in "convert
// --to FORMAT FILE...", and the number of arguments that it takes at most.
func arguments(cmd *cobra.Command) (nouns []string, most int) {
	// The argument of a flag is also upper case, but follows the flag. Brackets mark optional
	// arguments.
	words := strings.Fields(cmd.Use)[1:]
	for i, word := range words {
		afterFlag := i > 0 && strings.HasPrefix(strings.TrimPrefix(words[i-1], "["), "-")
		switch isOptional := strings.HasPrefix(word, "["); {
		case word != strings.ToUpper(word) || afterFlag:
			continue
		case !isOptional:
			nouns = append(nouns, word)
		}
		if most++; strings.Contains(word, "...") {
			return nouns, math.MaxInt
		}
	}
	return nouns, most
}

// refuseUnknown makes a command that has only subcommands fail for any other argument.
func refuseUnknown(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

// unknownCommand returns the error about a subcommand that does not exist. Hidden commands are not
// suggested; topics of the manual are, because help takes them.
func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			known = append(known, sub.Name())
		}
	}
	meant := cmp.Or(hint.DidYouMean(name, known), fmt.Sprintf("; see %s --help", cmd.CommandPath()))
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), meant)
}

// explainFlag makes an error about the value of a flag begin with the flag. To an error about a
// flag that the command does not have, it adds a suggestion: a similar flag of the command, or the
// commands that have the flag.
func explainFlag(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s %q: %w", e.GetFlag().Name, e.GetValue(), errors.Unwrap(e))
	}
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	name := e.GetSpecifiedName()
	// The flag of another command is a likelier mistake than a typo, as most flags mean the same
	// everywhere.
	if others := commandsWith(cmd.Root(), name); len(others) > 0 {
		// A flag that is one letter has one dash.
		dashes := "--"[:min(len(name), 2)]
		return fmt.Errorf("%s has no flag %s%s; commands with this flag: %s",
			strings.TrimPrefix(cmd.CommandPath(), "perfdata "), dashes, name, strings.Join(others, ", "))
	}

	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if best := hint.Similar(name, known); best != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, best)
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// commandsWith returns the names of the commands below root that have a flag of this name, or of
// this letter, as users type them after that of the program. A hidden flag is a former name, or has
// no effect in its command, so it is not suggested.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, cmd := range root.Commands() {
		f := cmd.Flags().Lookup(flag)
		if f == nil && len(flag) == 1 {
			f = cmd.Flags().ShorthandLookup(flag)
		}
		if f != nil && !f.Hidden && cmd.IsAvailableCommand() {
			names = append(names, strings.TrimPrefix(cmd.CommandPath(), "perfdata "))
		}
		names = append(names, commandsWith(cmd, flag)...)
	}
	return names
}
