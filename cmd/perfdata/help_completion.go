package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"
)

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
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script bytes.Buffer
		if err := cmd.Root().GenBashCompletionV2(&script, !plain); err != nil {
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
