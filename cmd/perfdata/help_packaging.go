package main

import (
	"bytes"
	"os"
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
			// A program that was built without Git does not know the time of its revision.
			if at, err := time.Parse(time.RFC3339, buildSetting("vcs.time")); err == nil {
				header.Date = &at
			}
			return doc.GenManTree(root, header, args[0])
		},
	}
}

// prepareForMan makes the indented lines of help texts preformatted in man pages, which are made
// from Markdown, and the topics of the manual commands, because only commands get a page.
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
// and the loop joins the parts that have no blanks between them.
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
