package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns the command that writes the man pages, for packagers.
func (t *tool) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write man pages",
		Long: `Write a man page for each command into the folder DIR, which is made if it does
not exist.`,
		Example: "  perfdata man /usr/local/share/man/man1",
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			// GenManTree fails if the folder does not exist.
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}

			root := cmd.Root()
			// Pages must be the same in two builds of one revision, so that packages are
			// reproducible.
			root.DisableAutoGenTag = true // it has the date
			prepareForMan(root)
			header := &doc.GenManHeader{Section: "1", Source: "perfdata", Manual: "perfdata"}
			// A program that was built without Git does not know the time of its revision. Cobra
			// then takes SOURCE_DATE_EPOCH, or the time of this run.
			if at, err := time.Parse(time.RFC3339, buildSetting("vcs.time")); err == nil {
				header.Date = &at
			}
			return doc.GenManTree(root, header, args[0])
		},
	}
}

// prepareForMan makes the indented lines of help texts preformatted in man pages, which are made
// from Markdown, and the topics of the manual commands, because only commands get a page. It
// changes the commands themselves, because nothing else uses them in this run.
func prepareForMan(cmd *cobra.Command) {
	if cmd.IsAdditionalHelpTopicCommand() {
		cmd.Run = func(*cobra.Command, []string) {}
	}
	// Markdown wants four blanks or a tab before preformatted lines; help texts have two.
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ")
	for _, sub := range cmd.Commands() {
		prepareForMan(sub)
	}
}

// standaloneBash makes the completion script of bash work where the package bash-completion is not
// installed, or not loaded, as on many servers and in containers.
func (t *tool) standaloneBash(shell *cobra.Command) {
	// If cobra changes its text or its script, nothing is replaced, and the completion still works
	// where the package is loaded. A test runs the script without it.
	shell.Long = strings.Replace(shell.Long, `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`, `The script uses the package bash-completion if it is loaded, and works without it.
`, 1)
	shell.RunE = func(cmd *cobra.Command, _ []string) error {
		var script bytes.Buffer
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err := firstError(err, cmd.Root().GenBashCompletionV2(&script, !plain)); err != nil {
			return err
		}
		_, err = t.stdout.WriteString(strings.Replace(script.String(), theirWords, ourWords, 1))
		return err
	}
}

// theirWords is the line of the script that fails without bash-completion.
const theirWords = `    _get_comp_words_by_ref "$@" cur prev words cword
`

// ourWords sets the same variables without bash-completion. Bash also splits words at = and :,
// and the loop joins the parts that have no blanks between them. The variable COMP_WORDS does not
// say where the blanks were, so the loop follows the typed line, COMP_LINE. The index of the word
// at the cursor is counted after the parts are joined.
const ourWords = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi

    local i word bare rest=$COMP_LINE
    words=()
    cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        bare=${rest#"${rest%%[![:space:]]*}"}
        if ((i > 0)) && [[ $bare == "$rest" && ($word == [=:]* || ${COMP_WORDS[i-1]} == *[=:]) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        rest=${bare#"$word"}
        if ((i == COMP_CWORD)); then
            cword=$((${#words[@]} - 1))
        fi
    done
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword-1 : 0]}
`

// versionCommand returns the command that prints what --version prints: people try both.
func (t *tool) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version, the revision that the program was built from and the version of
Go. --version prints the same.`,
		Example: "  perfdata version",
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(t.stdout, versionText())
			return nil
		},
	}
}

// releaseVersion is the version of the newest section of CHANGELOG.md. The module of the tool has
// none of its own that a build in a clone could know. A test compares it with CHANGELOG.md.
const releaseVersion = "0.1.0"

// versionText returns a line such as "perfdata 0.1.0, revision 1f6e9a4, go1.26.8". A program that
// was not built in a clone, or without Git, does not know its revision.
func versionText() string {
	text := "perfdata " + releaseVersion
	if revision := buildSetting("vcs.revision"); revision != "" {
		text += ", revision " + revision
	}
	// With changes that are not committed, the revision alone would name another program.
	if buildSetting("vcs.modified") == "true" {
		text += " (modified)"
	}
	return text + ", " + runtime.Version()
}

// buildSetting returns what the go command recorded in the program, or the empty string.
func buildSetting(key string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// verdictsTopic returns the page of the manual about the verdicts of the commands that judge. A
// test computes its examples.
func verdictsTopic() *cobra.Command {
	return &cobra.Command{
		// A command without a function is a topic: cobra lists it apart from the commands, and
		// completes it after help.
		Use:   "verdicts",
		Short: "What the verdicts of compare and check mean, with an example of each",
		Long: `What the verdicts of compare and check mean. In the examples, values are
times in ms, less is better, and the threshold and alpha are 5%, the defaults.

compare looks at the values of two commits. It computes the ratios of all pairs of a new
and an old value: their median is the ratio, and its interval is the middle of them.

  old 100 101 99 102 100  new 120 121 119 122 120    worse

The ratio is 1.20, and its interval, 1.17 to 1.22, is above 1.05. Values of two equal
commits differ this much in one of 126 cases (p = 0.008), which is less than 5%.

  old 120 121 119 122 120  new 100 101 99 102 100    better

The same in the other direction. If neither the file nor the unit nor --better says which
direction is better, the verdict is changed.

  old 100 101 99 102 100  new 101 100 102 99 101     same

The interval lies between 0.95 and 1.05: whatever the difference is, it is less than the
threshold. If the interval were wider, the verdict would be unknown.

  old 100 130 80 120 90  new 105 125 85 95 130       unknown

The values vary so much that they may hide a change of a quarter. The output says how many
values on each side would probably make the interval narrow enough.

  old 100 101  new 120 121                           unknown

No test can be sure with two values on each side: four are needed for p below 5%.

worse? means worse, but with this number of series, one of them may well differ this much
by chance: its q, which is p adjusted for that number, is not below alpha. It fails a
build with --fail-on suspect only.

check compares new values with the values of the history since its last change. It needs
five old values, or three commits with several values each. One new value is enough, and
more new values decide more.

  history 100 106 95 101 103  new 104                same
  history 100 106 95 101 103  new 108                within noise
  history 100 106 95 101 103  new 125                unknown
  history 100 106 95 101 103  new 130                worse
  history 100 106 95  new 130                        unknown

The first new value is less than 5% above the median, 101. The second is more, but this
history may have values that far from its median. The third is outside of the usual
range, which is 81 to 119, but five old values are too few to be sure: one more run would
decide. The fourth is farther away than noise. In the last line, the history has too few
values.

worse? would be worse if the series were alone, with a p below a fifth of alpha, but not
among all series of the run: its q is not below alpha, or old values have been more than
half as far, or too few of them show how far such noise may go. A regression is worse at
the first commit at which it is certain, and fails that commit. Later, it is "worse since"
the commit at which it began, which fails with --fail-on known only.

With check, p says how often a new value would be as far from the median, on the same side,
if nothing had changed. If a greater share of the old values have been as far, p is that
share, so a history with spikes needs more than one new value to be worse.`,
	}
}
