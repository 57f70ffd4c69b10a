#!/usr/bin/env bash
# Makes the site in build/website from reports/ and follows every link and anchor of it. Called by
# `./dev site`, which installs MkDocs, cmark-gfm and LinkChecker.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=build/website
PYTHONDONTWRITEBYTECODE=1 mkdocs build --quiet --strict --config-file analyses/site/mkdocs.yml >&2

# LinkChecker, run as root, reads as nobody, who may not see this directory.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R "$out/." "$copy"
chmod -R a+rX "$copy"
if ! (cd "$copy" && find . -name '*.html' -print0 | sort -z |
  xargs -0 linkchecker --config "$OLDPWD/analyses/site/linkcheckerrc" --no-status) \
  >build/website-links.txt 2>&1; then
  sed '1,/^Start checking/d' build/website-links.txt >&2
  echo "site: the links and anchors above are dead" >&2
  exit 1
fi
grep -o '[0-9]* links in [0-9]* URLs checked' build/website-links.txt >&2
echo "$out/index.html"
