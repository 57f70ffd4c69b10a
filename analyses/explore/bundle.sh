#!/usr/bin/env bash
# bundle.sh OUT BUILD: the pages with their scripts, each a classic one that runs from a file, too.
# BUILD keeps the packages, which are installed anew where the list of them changed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1" "$2"
out=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
if ! cmp -s "$here/package-lock.json" "$build/installed.json"; then
  cp "$here"/package*.json "$build"
  (cd "$build" && npm ci --silent --no-audit --no-fund --ignore-scripts) >&2
  cp "$here/package-lock.json" "$build/installed.json"
fi
NODE_PATH=$build/node_modules "$build/node_modules/.bin/esbuild" "$here/explore.js" "$here/ladder.js" \
  --bundle --minify --charset=utf8 --target=es2022 --format=iife --legal-comments=none \
  --log-level=warning --metafile="$build/inputs.json" --outdir="$out"
# Their licences ask to go with them.
grep -o '"[^"]*node_modules/\(@[^/"]*/\)\?[^/"]*' "$build/inputs.json" | sed 's/.*node_modules.//' |
  sort -u | while read -r package; do
  printf '%s\n\n' "$package"
  cat "$build/node_modules/$package"/LICENSE*
  echo
done >"$out/explore.js.LICENSES.txt"
cp "$here"/*.html "$here"/*.css "$out"
