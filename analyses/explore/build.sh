#!/usr/bin/env bash
# Makes the pages that answer in the browser in build/explore/site, from the core compiled to
# WebAssembly. Called by `./dev site --explore`, which installs the packages and builds the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command=$1 made=$PWD/build/explore
version=2.3.3 sum=91d26d8274ae9cd9c776ee58250aeddc6b574f369eafd03b25045b858a2b8177

# Debian has muParser compiled for the host alone: its sources are where its package is from.
if [ ! -f "$made/muparser/include/muParser.h" ]; then
  mkdir -p "$made/muparser"
  package=$(apt-get --print-uris download libmuparser-dev | cut -d\' -f2)
  archive=$made/muparser.tar.gz
  /usr/lib/apt/apt-helper download-file "${package%/*}/muparser_$version.orig.tar.gz" "$archive" \
    "SHA256:$sum" >&2
  tar -x -f "$archive" -C "$made/muparser" --strip-components=1
fi
cmake -G Ninja -S analyses/explore -B "$made/wasm" -D MUPARSER="$made/muparser" \
  -D CMAKE_TOOLCHAIN_FILE="$PWD/analyses/explore/wasm.cmake" >/dev/null
cmake --build "$made/wasm" >&2
/usr/bin/python3 -B analyses/explore/core.py --project . --command "$command" \
  --module "$made/wasm/embedscale.wasm" --out "$made/site/explore-core.js"
analyses/explore/bundle.sh "$made/site" "$made/npm"
echo "$made/site/explore.html"
