#!/usr/bin/env bash
# The site of a small tree that has what python-markdown would render otherwise, and that a dead
# link of each kind stops it. Run by CTest and by .ci/run with the repository as its argument; exit code
# 77 where `./dev site` was never run and its packages are not there.
set -euo pipefail
for needed in mkdocs linkchecker cmark-gfm; do command -v $needed >/dev/null || exit 77; done
[ -d /usr/share/mkdocs/themes/material ] || exit 77
project=$(cd "$1" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{analyses,reports/data,reports/evidence}
cp -R "$project/analyses/site" "$tree/analyses"
cp "$project/CITATION.cff" "$project/LICENSE" "$tree"
cd "$tree"
forge=$(sed -n 's/^repository-code: "\(.*\)"/\1/p' CITATION.cff)

fail() { echo "FAILED: $*"; exit 1; }

pages() {
  echo '{"claims": [{"topic": "zebra"}, {"topic": "apple"}]}' >reports/results.json
  printf 'a,b\n1,2\n' >reports/data/apple.csv
  cat >reports/claimreview.jsonld <<'JSON'
{"@graph": [{"identifier": "apple.falls", "url": "there", "name": "a </script> b"},
            {"identifier": "zebra.runs", "url": "there", "name": "other"}]}
JSON
  cat >reports/README.md <<'MARKDOWN'
# Front & page

A paragraph
- with a list right behind it
  - and one in it

[claim](apple.md#apple.falls) [heading](#a-heading-with-d_model) [numbers](data/apple.csv)
[licence](../LICENSE) [page](zebra.md) [evidence](evidence/apple.md#apple.falls)

## A heading with `d_model`

<details>
<summary>More</summary>

| a | b `\|` c |
| - | -------: |
| **1** | 2 |

</details>
MARKDOWN
  printf '# Apple\n\n<a id="apple.falls"></a>\n\n## It falls\n\n#### Why\n\nHeavy. [Here](%s).\n' \
    "$forge/blob/main/LICENSE" >reports/apple.md
  printf "# Questions\n\n## Would BERT's ε?\n\nYes.\n" >reports/questions.md
  printf '# Zebra\n\n[up](README.md) ~~old~~\n' >reports/zebra.md
  { echo '# Of apples' && tail -n +2 reports/apple.md; } >reports/evidence/apple.md
  echo '[page](../apple.md#apple.falls)' >>reports/evidence/apple.md
}

site() { analyses/site/build.sh >log 2>&1; }
has() { grep -qF -- "$2" "build/website/$1" || fail "$1 has no '$2'"; }

pages
site || fail "a good site is refused: $(cat log)"
has index.html '<li>with a list right behind it'
has index.html '<td align="right">2</td>'
has index.html '<code>|</code>'
has index.html '<strong>1</strong>'
has index.html 'href="apple.html#apple.falls"'
has index.html 'id="a-heading-with-d_model"'
has index.html 'href="data/apple.csv"'
has index.html "href=\"$forge/blob/main/LICENSE\""
has index.html '<title>Front &amp; page - embedscale</title>'
has apple.html '<h2 id="apple.falls">It falls<a class="headerlink" href="#apple.falls"'
has apple.html '"identifier": "apple.falls"'
has apple.html '"name": "a <\/script> b"'
has apple.html 'role="heading" aria-level="4"'
has zebra.html 'href="index.html"'
has zebra.html '<del>old</del>'
has evidence/apple.html 'href="../apple.html#apple.falls"'
has search/search_index.json '"location":"apple.html#apple.falls","text":"Why Heavy. Here ."'
has search/search_index.json '"tags":["Would","BERT","epsilon"]'
! grep -q 'zebra.runs' build/website/apple.html || fail "another page's review is on this one"
! grep -q 'evidence/' build/website/search/search_index.json || fail "the evidence is searched"
! grep -q 'ld+json' build/website/evidence/apple.html || fail "the evidence repeats a review"
tr -d '\n' <build/website/index.html | grep -q 'Start.*Questions.*Zebra.*Apple.*Evidence' ||
  fail "the topics are not in the catalogue's order"
# Nothing is asked of another host: a link may leave, a part of the page may not.
for part in '<(script|img|iframe|source)[^>]* src' '<link[^>]* href'; do
  ! grep -rE "$part=\"(https?:)?//" build/website --include='*.html' || fail "it asks another host"
done
[ ! -e build/website/sitemap.xml ] || fail "a site map without addresses"
EMBEDSCALE_SITE_URL=https://example.org/a/ site || fail "an address is refused: $(cat log)"
has apple.html '"url": "https://example.org/a/apple.html#apple.falls"'
has sitemap.xml '<loc>https://example.org/a/apple.html</loc>'

# refuses LINK SAID…: a page with these links, and what is said of each.
refuses() {
  pages
  for ((i = 1; i < $#; i += 2)); do printf '\n[dead](%s)\n' "${!i}" >>reports/zebra.md; done
  ! site || fail "dead links are not found: $*"
  for ((i = 2; i <= $#; i += 2)); do
    grep -qF -- "${!i}" log || fail "'${!i}' is not said: $(cat log)"
  done
}
refuses 'apple.md#apple.flies' 'Anchor `apple.flies' '#nowhere' 'Anchor `nowhere'
refuses 'pear.md' 'zebra.md: pear.md: no such file' \
  'data/pear.csv' 'zebra.md: data/pear.csv: no such file' \
  '../analyses/pear.cpp' 'pear.cpp: no such file' \
  "$forge/blob/main/reports/pear.md" 'main has no such file'
echo "the site is what the pages are, and has no dead link"
