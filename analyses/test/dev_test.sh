#!/usr/bin/env bash
# What ./dev does where it cannot do its work: it must say what is missing and stop with code 2, with
# nothing on stdout. And what `./dev test` hands on. Run by CTest with the repository as its argument.
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

# names PATTERN COMMAND…: what has to be among the packages that it asks for.
names() {
  local pattern=$1
  shift
  expect 2 'no apt.*' env PATH="$scratch/bare" "$dev" "$@"
  grep -q "$pattern" "$scratch/err" || fail "$* does not name the packages"
  [ ! -s "$scratch/out" ] || fail "$* writes to stdout: $(cat "$scratch/out")"
}
for command in test reports "reports --check" identity lint package train release "measure attention"; do
  # shellcheck disable=SC2086 # two words on purpose
  names librapidcheck-dev $command
done
for command in embedscale fuzz; do
  names libmuparser-dev $command
  ! grep -q 'librapidcheck-dev' "$scratch/err" || fail "$command asks for what only tests need"
done
names mkdocs-material site
expect 2 'neither root nor sudo.*librapidcheck-dev' env PATH="$scratch/user" "$dev" test
expect 2 "unknown command 'tset'" "$dev" tset
expect 2 "unknown option --chekc" "$dev" reports --chekc
for wrong in '' x -1 1.5 1e3 0x10 007 '1 2' 18446744073709551616 99999999999999999999 Random; do
  expect 2 "'$wrong' is no seed" env PATH="$scratch/bare" "$dev" test --seed "$wrong"
  expect 2 "'$wrong' is no seed" env PATH="$scratch/bare" "$dev" test "--seed=$wrong"
done
expect 2 "'' is no seed" env PATH="$scratch/bare" "$dev" test -R x --seed
expect 2 "no report named 'combinations'; there are: attention certainty combination" "$dev" reports combinations
for page in "$1"/reports/*.md; do
  topic=$(basename "$page" .md)
  [ "$topic" = README ] || expect 2 "no report named 'nonsense'" "$dev" reports "$topic" nonsense
done
expect 2 "no group 'defualt'" "$dev" packages defualt
expect 2 "'1m' is no number of seconds" "$dev" fuzz 1m
expect 2 "site takes --explore" "$dev" site attention
expect 2 "format takes no argument" "$dev" format --check
expect 2 "lint takes no argument" "$dev" lint --fix
expect 2 "package takes --clean-root" "$dev" package --clean
expect 2 "no topic named 'atention'; there are: attention combination" "$dev" measure atention
expect 2 "no topic named ''" "$dev" measure

# What the README shows works as the first command: it names none of what something else has built.
! grep -n '^build/' "$1/README.md" || fail "the README names what may not have been built"
grep -oE '^\./dev [a-z]+' "$1/README.md" | sort -u >"$scratch/shown"
[ -s "$scratch/shown" ] || fail "the README shows no command"
"$dev" help >"$scratch/help"
while read -r _ command; do
  grep -q "^  $command " "$scratch/help" || fail "the README shows '$command', which help does not"
done <"$scratch/shown"

# What it hands to ctest, on a system where everything is installed and every build succeeds.
mkdir "$scratch/able"
for tool in bash env dirname awk sort comm cat grep sed od mkdir; do
  ln -s "$(command -v "$tool")" "$scratch/able/$tool"
done
printf '#!/bin/bash\nshift 3\nprintf "installed %%s\\n" "$@"\n' >"$scratch/able/dpkg-query"
printf '#!/bin/bash\nexit 1\n' >"$scratch/able/apt-get"
printf '#!/bin/bash\n' | tee "$scratch/able/cmake" >"$scratch/able/rm"
printf '#!/bin/bash\necho "seed=$EMBEDSCALE_SEED cases=$EMBEDSCALE_CASES: $*"\n' \
  >"$scratch/able/ctest"
chmod +x "$scratch"/able/{dpkg-query,apt-get,cmake,rm,ctest}

# hands STDOUT ARGUMENT…: what ctest is called with, but for what only CI runs.
hands() {
  local wanted=${1/--preset test/--preset test -LE consumer.thorough} got
  shift
  got=$(env -u EMBEDSCALE_SEED -u EMBEDSCALE_CASES PATH="$scratch/able" "$dev" test "$@" \
    2>"$scratch/err") || fail "dev test $* exits with $?: $(cat "$scratch/err")"
  [[ $got =~ ^$wanted$ ]] || fail "dev test $* calls '$got', not '$wanted'"
}
hands 'seed= cases=: --preset test'
hands 'seed= cases=: --preset test -R a -j 1' -R a -j 1
hands 'seed=7 cases=: --preset test' --seed 7
hands 'seed=0 cases=: --preset test -R a' --seed=0 -R a
hands 'seed=18446744073709551615 cases=: --preset test -V' -V --seed 18446744073709551615
seeds=()
for _ in 1 2 3; do
  hands 'seed=[0-9]+ cases=: --preset test' --seed random
  seeds+=("$(grep -o 'EMBEDSCALE_SEED=[0-9]*' "$scratch/err")") || fail "the seed is not printed"
done
[ "$(printf '%s\n' "${seeds[@]}" | sort -u | wc -l)" -eq 3 ] || fail "the same seed: ${seeds[*]}"

# What it hands to the scripts that make lists of parts, in a project that has them; such programs
# may be started many at a time, and build one after the other.
mkdir -p "$scratch/built/"{build/release/bin,analyses/parts,properties/mutation}
cp -r "$dev" "$1/packages" "$scratch/built"
touch "$scratch/built/build/release/"{CTestTestfile.cmake,bin/libembedscale_parts_mpi.so}
tee "$scratch/built/properties/mutation/mutate.py" >"$scratch/built/analyses/parts/tests.py" <<'PYTHON'
import os, sys
seed, cases = (os.environ.get(f"EMBEDSCALE_{name}", "") for name in ("SEED", "CASES"))
print(f"seed={seed} cases={cases}:", *sys.argv[5:])
PYTHON
printf '#!/bin/bash\necho "locks $1" >&2\n' >"$scratch/able/flock"
chmod +x "$scratch/able/flock"
project=$dev
dev=$scratch/built/dev
hands 'seed= cases=1000000: -- -LE consumer.thorough -R a' --thorough -R a
hands 'seed=[0-9]+ cases=1000000: -- -LE consumer.thorough' --seed random --thorough
! grep -q locks "$scratch/err" || fail "it locks what nobody else builds"
for option in --mpi '--shard 2/3' --shard=2/3; do
  # shellcheck disable=SC2086 # two words on purpose
  hands "seed= cases=1000000: $option -- -LE consumer.thorough" --thorough $option
  grep -q 'locks 9' "$scratch/err" || fail "test --thorough $option does not lock"
  # shellcheck disable=SC2086
  expect 2 'is for test --thorough' env PATH="$scratch/able" "$dev" test $option
done
dev=$project

# Its exit codes are those of the help, not ctest's.
printf '#!/bin/bash\necho one has failed >&2\nexit 8\n' >"$scratch/able/ctest"
for command in test consume; do
  expect 1 'one has failed' env PATH="$scratch/able" "$dev" $command
done

# What only tells something waits for no test to be built.
printf '#!/bin/bash\necho "$*" >&2\nexit 1\n' >"$scratch/able/cmake"
for option in --help -h --list; do
  env PATH="$scratch/able" "$scratch/built/dev" mutate --header turn.hpp $option |
    grep -q -- ": --header turn.hpp $option$" || fail "mutate $option is not handed on"
done
expect 1 '--target make_parts properties/all$' env PATH="$scratch/able" "$scratch/built/dev" mutate

# A tree that cannot be written, here by what stands in its place.
mkdir "$scratch/project"
cp -r "$dev" "$1/packages" "$scratch/project"
touch "$scratch/project/build"
for command in embedscale test; do
  expect 2 'project/build/release cannot be written, .* git clone' \
    env PATH="$scratch/able" "$scratch/project/dev" $command
done

# What is released is a commit: nothing is written while the tree has more than that.
printf '#!/bin/bash\n[ "$1" != status ] || echo " M $2"\n' >"$scratch/able/git"
chmod +x "$scratch/able/git"
expect 2 'a release is a commit.*' env PATH="$scratch/able" "$dev" release
[ ! -s "$scratch/out" ] || fail "release goes on: $(cat "$scratch/out")"

# The one list: every package once in its group, and the container file and CI name none of their own
# beyond git and certificates.
"$dev" packages >"$scratch/packages"
[ -s "$scratch/packages" ] || fail "no packages"
[ -z "$(sort "$scratch/packages" | uniq -d)" ] || fail "a package is listed twice"
"$dev" help | grep -q 'reports --check' || fail "help does not list the commands"
echo "dev behaves where it cannot work"
