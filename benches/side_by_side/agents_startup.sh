#!/usr/bin/env bash
# The steps that the `.agents` convention has an agent's start-up take, written anew from its description:
# count what lies in new/, and take sender, subject and date out of each message with awk.
# Usage: agents_startup.sh INBOX
set -euo pipefail
inbox=$1
shopt -s nullglob
files=("$inbox"/new/*.md)
if [ ${#files[@]} -eq 0 ]; then
  exit 0
fi
list=""
for file in "${files[@]}"; do
  line=$(awk '
    NR == 1 && $0 == "---" { inside = 1; next }
    inside && $0 == "---" { exit }
    inside && /^from:/ { sub(/^from: */, ""); from = $0 }
    inside && /^subject:/ { sub(/^subject: */, ""); subject = $0 }
    inside && /^date:/ { sub(/^date: */, ""); date = $0 }
    END { printf "%s  %s: %s", date, from, subject }
  ' "$file")
  list+="$line ($(basename "$file"))"$'\n'
done
echo "${#files[@]} unread messages in $inbox:"
printf '%s' "$list" | sort
