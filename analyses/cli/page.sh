#!/bin/sh
# page.sh TOPIC OUT COPIED COMMAND…
# A topic's page, its figures and data in OUT: copied from reports/ where the same sources and records
# have measured what is there, and COPIED says so; by the command elsewhere, and always where
# EMBEDSCALE_MEASURE is set, as ./dev reports --check does, which sees that the two are the same.
set -eu
topic=$1 out=$2 copied=$3
shift 3
project=$(cd "$(dirname "$0")/../.." && pwd)
reports=$project/reports

# The files of the topic that are in a directory of reports, one a line.
files() {
  (cd "$1" && ls -d "$topic.md" "evidence/$topic.md" "data/$topic.json" data/"$topic"_* \
    figures/"$topic"_* 2>/dev/null)
}
hash_of_files() { LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c 1-16; }
# What decides what is measured: code, with the headers of all topics, how it is compiled, words,
# systems and the records of long runs.
measured_by() {
  cd "$project" && {
    find lib properties analyses/atlas analyses/audit analyses/cli analyses/exhaustive \
      analyses/report analyses/systems analyses/training "analyses/$topic" -type f \
      ! -path '*/test/*' ! -path 'properties/subject/*' \
      \( -name '*.?pp' -o -name '*.toml' -o -name '*record.json' -o -name exhaustive.json \
      -o -path "analyses/$topic/words.md" \)
    find analyses/*/ -name '*.hpp' ! -path '*/test/*'
    ls CMakePresets.json cmake/floating_point.cmake
  } | LC_ALL=C sort -u | hash_of_files
}
sources=$(measured_by)
state() { printf '%s %s\n' "$sources" "$(cd "$1" && files . | hash_of_files)"; }

rm -f "$copied"
if [ -z "${EMBEDSCALE_MEASURE-}" ] && [ -f "$reports/$topic.md" ] &&
  [ "$(cat "$reports/data/$topic.measured" 2>/dev/null)" = "$(state "$reports")" ]; then
  mkdir -p "$out/figures" "$out/data" "$out/evidence" "$(dirname "$copied")"
  files "$out" | (cd "$out" && xargs -r rm -f)
  files "$reports" | while read -r file; do cp "$reports/$file" "$out/$file"; done
  : >"$copied"
else
  "$@"
fi
state "$out" >"$out/data/$topic.measured"
