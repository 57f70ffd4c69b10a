#!/usr/bin/env bash
# Installs the packages in a Debian that has nothing else, and uses them: clean_root.sh DIRECTORY
# COMMAND.deb DEVELOPMENT.deb. Needs root, debootstrap, the mirror that apt has, and some minutes; the
# directory is kept from one run to the next without what was installed.
set -euo pipefail
if [ "${inside:-}" != yes ]; then # what is mounted goes with the process
  [ $# -eq 3 ] || { echo "usage: clean_root.sh DIRECTORY COMMAND.deb DEVELOPMENT.deb" >&2; exit 2; }
  [ "$(id -u)" -eq 0 ] || { echo "clean_root.sh: needs root, for debootstrap" >&2; exit 2; }
  inside=yes exec unshare --mount "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
base=$1/base root=$1/root
mkdir -p "$1"
if [ ! -e "$base/bin/bash" ]; then
  rm -rf "$base.part"
  # shellcheck disable=SC2016 # apt's own variables
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$base.part" "$mirror" >&2
  mv "$base.part" "$base"
fi
rm -rf "$root"
cp -a "$base" "$root"
cp /etc/resolv.conf "$root/etc/"
cp "$2" "$root/command.deb"
cp "$3" "$root/development.deb"
cp -r "$here/consumer" "$here/../examples/own_primitive" "$root"
mount -t proc proc "$root/proc"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
step() { echo "clean root: $*" >&2; }

step "the command, with what it depends on and recommends"
in_root apt-get update -qq
in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /command.deb >&2
in_root embedscale audit --system gpt2_openai
in_root embedscale check --list >/dev/null
in_root embedscale cite combination.rounds_identically --style ris
echo '<!-- embedscale: combination.rounds_identically = false -->' >"$root/lie.md"
status=0
in_root embedscale cite --check /lie.md || status=$?
[ $status -eq 1 ] || { step "a lie passes: $status"; exit 1; }
# shellcheck disable=SC2016 # it is for the other shell
in_root bash -c 'COMP_WORDS=(embedscale audit --sys) COMP_CWORD=2
  . /usr/share/bash-completion/completions/embedscale && _embedscale
  [ "${COMPREPLY[*]}" = "--system --systems" ]'

step "the development package, with a compiler"
in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  /development.deb cmake g++ make >&2
for component in "" fast; do
  in_root cmake -S /consumer -B "/built$component" "-DCOMPONENT=$component" >/dev/null
  in_root cmake --build "/built$component" >/dev/null
  in_root "/built$component/consumer"
  step "find_package(embedscale COMPONENTS $component) builds and runs"
done
in_root cmake -S /own_primitive -B /built_properties >/dev/null
in_root cmake --build /built_properties >/dev/null
in_root ctest --test-dir /built_properties --no-tests=error >&2
step "find_package(embedscale COMPONENTS properties) builds and runs"

step "gone without a trace"
in_root dpkg --purge embedscale libembedscale-dev >&2
left=$(find "$root/usr" "$root/etc" -name '*embedscale*' ! -path '*/var/*')
[ -z "$left" ] || { step "left: $left"; exit 1; }
