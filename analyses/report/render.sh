#!/usr/bin/env bash
# Renders reports as a reader sees them: <name>-light.png, <name>-dark.png and, 390 pixels wide,
# <name>-phone.png under build/rendered, for the named reports or all. Called by `./dev render`, which installs cmark-gfm and Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=build/rendered
mkdir -p "$out"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

style() {
  case $1 in
    light) echo 'body{background:#fff;color:#1f2328} a{color:#0969da} td,th{border:1px solid #d1d9e0}' ;;
    phone) style light && echo 'body{max-width:366px;margin:32px 0;padding:0 12px}' && return ;;
    dark) echo 'body{background:#0d1117;color:#f0f6fc} a{color:#4493f8} td,th{border:1px solid #3d444d}' ;;
  esac
  echo 'body{font:16px/1.5 sans-serif;max-width:1012px;margin:32px auto;padding:0 24px}
    table{border-collapse:collapse;font-size:14px;display:block;overflow:auto} td,th{padding:5px 11px}
    blockquote{border-left:4px solid #888;margin:0;padding:0 1em;opacity:.8} img{max-width:100%}
    code{font-size:85%;background:#8883;padding:.2em .4em;border-radius:6px}'
}

render() { # page theme
  local page=$1 theme=$2 name html height width=1100 longer=1
  name=$(basename "$(dirname "$page")")-$(basename "$page" .md)
  html=$(dirname "$page")/.$name-$theme.html
  {
    echo "<!doctype html><meta charset=utf-8><style>$(style "$theme")</style><body>"
    cmark-gfm --unsafe -e table -e autolink "$page"
  } >"$html"
  # A rough height: chromium cuts a screenshot at the window.
  [ "$theme" != phone ] || width=500 longer=3 # chromium has no narrower window
  height=$((longer * ($(wc -l <"$page") * 34 + $(grep -c '^!\[' "$page" || true) * 460 + 600)))
  timeout 120 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
    --disable-background-networking --disable-component-update --hide-scrollbars \
    --user-data-dir="$profile" --window-size=$width,"$height" \
    --screenshot="$PWD/$out/$name-$theme.png" "file://$PWD/$html" >/dev/null 2>&1
  rm -f "$html"
  echo "$out/$name-$theme.png"
}

pages=("$@")
[ $# -gt 0 ] || mapfile -t pages < <(cd reports && ls -- *.md | sed "s/\.md$//")
for page in "${pages[@]}"; do
  for theme in light dark phone; do render "reports/$page.md" "$theme"; done
done
