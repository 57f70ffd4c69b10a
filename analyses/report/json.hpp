#pragma once
// What is written for programs: the only place that knows JSON of the project's types.
#include "properties/claim.hpp"

#include <string>
#include <vector>

#include "report/json_once.hpp"
#include "report/measurement.hpp"
#include "report/row.hpp"

namespace embedscale::report {

struct Page;
class Section;
class Words;

Json to_json(const Place& place);
inline bool operator==(const Place& place, const Json& json) { return to_json(place) == json; }
/// The claim's row. Its measurements of one quantity and method stand in groups, each a line:
/// [coordinate, …, value, …], in the order of the group's `columns`; what all have in common stands
/// once, in the group.
Json to_json(const Section& section, const Words& words);

/// What was measured of the claim at points of somebody's own, in the shape of such a row: its
/// verdict is the published report's.
Json to_json_at_own_points(const Section& section);

/// The rows that a page settles; of a page without claims, its record.
Json results(const Page& page);

/// Rows as the files have them: a line for each measurement, hardly indented.
std::string text_of(const Json& rows);

/// Every measurement of a page to its last bit, for whoever compares two ways of computing them: a
/// JSON array a line of claim, quantity, place, method, the digits that it is written with, value,
/// lower and upper end.
std::string unrounded(const Page& page);

}  // namespace embedscale::report
