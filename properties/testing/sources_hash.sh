#!/bin/sh
# One hash of all that the tests of the claims are made of: the library and the properties. A record
# of what the tests did holds while it does.
cd "$(dirname "$0")/../.." || exit 3
find lib properties \( -name '*.hpp' -o -name '*.cpp' \) ! -path 'properties/mutation/*' -print0 |
  LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16
