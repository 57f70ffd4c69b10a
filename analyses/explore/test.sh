#!/usr/bin/env bash
# Tries what `./dev site --explore` made: the module against the command, the pages in Chromium, of
# which pictures are left in build/explore/pictures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
made=build/explore
node analyses/explore/core_test.mjs $made/site/explore-core.js build/release/bin/embedscale
node --test-reporter=spec analyses/explore/browser_test.mjs $made/site $made/npm \
  analyses/audit/test/configs $made/pictures
