#!/bin/sh
# One hash of all that the tests of the claims are made of: the library and the properties, the
# training study's record and those of systems. A record of what the tests did holds while it does.
cd "$(dirname "$0")/../.." || exit 3
find lib properties analyses/systems analyses/atlas analyses/audit analyses/training \
  analyses/test/study_and_atlas_test.cpp \( -name '*.?pp' -o -name '*.toml' -o -name record.json \) ! -path 'properties/subject/*' \
  ! -path properties/record.json -print0 |
  LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16
