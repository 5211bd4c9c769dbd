#!/usr/bin/env bash
# What the `.agents` convention has a session do at its start, in the cheapest way a shell can do it:
# find the inbox of the repository, and tell sender, time and first line of each new message, with one
# awk a file.
set -euo pipefail
agent=$1
common=$(git rev-parse --git-common-dir 2>/dev/null) && root=$(dirname "$(cd "$common" && pwd -P)") || root=$PWD
shopt -s nullglob
files=("$root/.agents/inbox/$agent/new/"*.md)
[[ ${#files[@]} -eq 0 ]] && exit 0
printf '%s unread\n' "${#files[@]}"
for file in "${files[@]}"; do
  line=$(awk '
    /^---$/ { fences++; next }
    fences == 1 && /^from:/ { from = substr($0, 7) }
    fences == 1 && /^timestamp:/ { time = substr($0, 12) }
    fences == 2 && NF { print from " " time " " $0; exit }
  ' "$file")
  printf '%s %s\n' "${file##*/}" "$line"
done
