#!/bin/sh
# Measures the newest commit, and posts each change for the worse once, as an issue. See README.md.
set -eu
git pull -q
go test -run '^$' -bench . -count 5 ./... > bench.txt
git rev-list --reverse HEAD > commits.txt
perfdata store ingest -q --commits commits.txt --commit "$(git rev-parse HEAD)" perf.db bench.txt

# Findings keep their ids from night to night. Those of the first night are history, and are not posted.
touch findings.json
perfdata changes -q --ignore cpu --posted findings.json --as json -o findings.json perf.db
[ -e posted.txt ] || jq -r '.findings[].id' findings.json > posted.txt

jq -r '.findings[] | select(.worse > 0) | [.id, .commit, "\(.worse) worse, by the most \((.ratio - 1) * 100 | round)%"] | @tsv' findings.json |
	while IFS="$(printf '\t')" read -r id commit what; do
		if ! grep -qx "$id" posted.txt; then
			gh issue create --title "Slower since $(echo "$commit" | cut -c1-9): $what" \
				--body "$(jq -r --arg id "$id" '.findings[] | select(.id == $id) | .traces[]' findings.json)"
			echo "$id" >> posted.txt
		fi
	done
