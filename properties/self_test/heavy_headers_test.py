#!/usr/bin/env python3
"""Fails on a heavy header in a topic: heavy_headers_test.py BUILD_DIRECTORY

What a topic's sources (tests by hand aside) really include, from the dependency files of the build:
neither RapidCheck, GoogleTest, Boost, nlohmann nor CLI11, which stop at the door. What is compiled
once for all topics is named below.
"""
import re
import subprocess
import sys

HEAVY = re.compile(r"/(rapidcheck|gtest|gmock|boost|nlohmann|CLI)[/.]")
TOPIC = re.compile(r"(?:properties/CMakeFiles/(\w+)_properties|analyses/CMakeFiles/(\w+)_analysis)\.dir/(.+)\.o")
# The one unit of a topic that is there for its heavy header.
COMPILED_ONCE = {"block/taylor.cpp"}

text = subprocess.run(["ninja", "-C", sys.argv[1], "-t", "deps"], check=True, capture_output=True,
                      text=True).stdout
topics, found = set(), []
for entry in text.split("\n\n"):
    lines = entry.strip().splitlines()
    unit = TOPIC.match(lines[0].split(": #deps")[0]) if lines else None
    if not unit or unit[3] in COMPILED_ONCE:
        continue
    topics.add(unit[1] or unit[2])
    heavy = sorted({HEAVY.search(line)[1] for line in lines[1:] if HEAVY.search(line)})
    if heavy:
        found.append(f"{unit[0]}: {', '.join(heavy)}")
print("\n".join(found) or f"{len(topics)} topics, no heavy header")
if found or len(topics) < 9:  # where nothing was read, nothing was found
    sys.exit(1)
