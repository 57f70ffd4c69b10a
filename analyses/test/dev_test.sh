#!/usr/bin/env bash
# What ./dev does where it cannot do its work: it must say what is missing and stop with code 2, with
# nothing on stdout. Run by CTest with the repository as its argument.
set -euo pipefail
dev=$1/dev
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# expect CODE PATTERN COMMAND…: the exit code, and what stderr must hold.
expect() {
  local code=$1 pattern=$2 got=0
  shift 2
  "$@" >"$scratch/out" 2>"$scratch/err" || got=$?
  [ "$got" -eq "$code" ] || fail "$* exits with $got, not $code: $(cat "$scratch/err")"
  grep -qE -- "$pattern" "$scratch/err" || fail "$* does not say '$pattern': $(cat "$scratch/err")"
}

# A system with a shell and its usual tools, and no apt; then one with apt, but no right to install.
mkdir "$scratch/bare" "$scratch/user"
for tool in bash env dirname awk sort comm cat grep sed; do
  ln -s "$(command -v "$tool")" "$scratch/bare/$tool"
  ln -s "$(command -v "$tool")" "$scratch/user/$tool"
done
printf '#!/bin/bash\nexit 1\n' >"$scratch/user/dpkg-query"
printf '#!/bin/bash\nexit 1\n' >"$scratch/user/apt-get"
printf '#!/bin/bash\necho 1000\n' >"$scratch/user/id"
chmod +x "$scratch"/user/{dpkg-query,apt-get,id}

for command in test reports "reports --check" lint fuzz; do
  # shellcheck disable=SC2086 # two words on purpose
  expect 2 'no apt.*' env PATH="$scratch/bare" "$dev" $command
  grep -q 'librapidcheck-dev' "$scratch/err" || fail "$command does not name the packages"
  [ ! -s "$scratch/out" ] || fail "$command writes to stdout: $(cat "$scratch/out")"
done
expect 2 'neither root nor sudo.*librapidcheck-dev' env PATH="$scratch/user" "$dev" test
expect 2 "unknown command 'tset'" "$dev" tset
expect 2 "unknown option --chekc" "$dev" reports --chekc
expect 2 "no report named 'combinations'; there are: combination" "$dev" reports combinations
expect 2 "no group 'defualt'" "$dev" packages defualt
expect 2 "'1m' is no number of seconds" "$dev" fuzz 1m

# The one list: every package once in its group, and the container file and CI name none of their own
# beyond git and certificates.
"$dev" packages >"$scratch/packages"
[ -s "$scratch/packages" ] || fail "no packages"
[ -z "$(sort "$scratch/packages" | uniq -d)" ] || fail "a package is listed twice"
"$dev" help | grep -q 'reports --check' || fail "help does not list the commands"
echo "dev behaves where it cannot work"
