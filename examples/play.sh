#!/bin/sh
# Runs postroom's main job on a fresh copy of the example workspace: finds the inboxes, lists and
# summarises the mail, marks a message, and sweeps what is handled and old. Nothing of yours is read
# or written. With arguments it runs just that command there: sh examples/play.sh list --unread
set -eu
here=$(cd "$(dirname "$0")" && pwd)
postroom=${POSTROOM:-postroom}
command -v "$postroom" >/dev/null || postroom=$here/../target/release/postroom
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R "$here/workspace" "$copy/home"
run() {
  (cd "$copy/home/webapp" && env -u POSTROOM_AGENT HOME="$copy/home" XDG_STATE_HOME="$copy/state" XDG_CONFIG_HOME="$copy/config" \
    POSTROOM_NOW=2026-05-20T09:00:00Z TZ=UTC "$postroom" "$@")
}
if [ $# -gt 0 ]; then
  run "$@"
  exit
fi
for words in 'inboxes' 'list' 'summary' 'mark read cache-key' 'sweep --dry-run' 'sweep' 'sweep'; do
  printf '$ postroom %s\n' "$words"
  # The words are split on purpose.
  # shellcheck disable=SC2086
  run $words
  echo
done
