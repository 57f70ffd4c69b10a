#pragma once
// Tables and figures as views of measurements, declared in the words between lines of ``` :
//
//   ### table                                  ### figure combination_order
//   What is said of it.                        What is seen in it.
//
//   ```                                        ```
//   row d_model                                title Token RMS over position RMS
//   column "binary32" = error format=binary32  x d_model log2 "d_model"
//   columns "{}" = share by format             y log2 "token RMS over position RMS"
//   label binary16 = "half"                    line "scaled {}" = token_to_position by scaled
//   ```                                        level "balance" = balance
//                                              ```
//
// Tables. `row AXIS "Heading"`: a row for each coordinate on it that the columns' quantities were
// measured at (several axes: each pair), which a first column shows; `row AXIS` is headed by the
// axis' name, `row AXIS -` is not shown. Or `each "Heading"`, then `case "what" = LOOK-UP` for each
// row: * in a column is then the row's look-up. `where AXIS=COORDINATE` keeps some rows only;
// `only AXIS 64 512 …` those at these coordinates.
// `sort "Heading" down` (or `up`) orders them by the numbers of a column, those without one last.
// `column` looks up at the row's place; `columns … by AXIS`: one column for each coordinate that
// the look-up finds, and only what was measured there.
//
// Figures. `points`, `line` or `series` (both) "label" = LOOK-UP [by AXIS], over x: an axis, or a
// quantity at the same place. `band`: a line, and filled around it each measurement's own interval,
// which all of them have to have. A logarithmic axis has no room for 0 and less: a curve has a gap
// there, and a band ends at the edge of the picture. A series without points is left out.
//
// `label COORDINATE = "text"`: how a coordinate is called in headings, cells and keys.
#include <string>
#include <string_view>
#include <vector>

#include "report/figure.hpp"
#include "report/lookup.hpp"
#include "report/table.hpp"

namespace embedscale::report {

struct TableView {
  struct Row {
    Place place;
    std::vector<Found> cells;
  };
  std::vector<Table::Column> columns;
  std::vector<Row> rows;

  Table table() const;
  /// For programs: numbers without commas, in four digits, or those that the measurement is
  /// committed to.
  std::string csv() const;
};

/// Errors    std::invalid_argument for a block that is no table, or a cell without one measurement.
TableView table_view(std::string_view block, const Selection& all);

struct FigureView {
  Figure figure;
  std::vector<Selection> sources;  ///< of each series, its points'; then of each level
};

/// Errors    as table_view.
FigureView figure_view(std::string name, std::string_view block, const Selection& all);

}  // namespace embedscale::report
