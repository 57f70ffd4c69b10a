#pragma once
// The words of a topic, analyses/<topic>/words.md: prose with {named} fields, so that every figure
// in it comes from a measurement.
//
//   # Title of the page
//   Introduction.
//   ## topic.predicate
//   ### finding      what is so: heading, index and citations show it
//   ### false        the summary, for the verdict on the belief that it has: true, true if, false
//   ### condition    of "true if"
//   ### premise      where only that is settled, and not the belief that gives it as a reason
//   ### table
//   ### data NAME    a whole table, as a file beside the page
//   ### figure NAME
//   ### why
//   ### limits
//   ### fields       a line each: name = look-up (report/lookup.hpp)
//
// Between lines of ``` in the parts "table", "data NAME" and "figure NAME" stands what they show:
// see report/view.hpp. The part's text is that around it.
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::report {

class Words {
 public:
  /// Parts of one section, by the text of their "### " heading.
  using Parts = std::map<std::string, std::string, std::less<>>;

  /// Errors    FileError where the file cannot be read, std::invalid_argument where a part stands
  ///           outside a section or a heading appears twice.
  static Words read(const std::filesystem::path& path);
  static Words parse(std::string_view text, std::string name);

  const std::string& title() const { return title_; }
  const std::string& introduction() const { return introduction_; }

  /// One part.  Errors    std::invalid_argument naming file, section and the missing part.
  const std::string& part(std::string_view section, std::string_view name) const;
  bool has_part(std::string_view section, std::string_view name) const;
  const std::string& name() const { return name_; }
  /// The fields of a section, by name: their look-ups.
  const Parts& look_ups(std::string_view section) const;
  /// What stands between ```, in its order, with the part that it stands in.
  const std::vector<std::pair<std::string, std::string>>& blocks(std::string_view section) const;

 private:
  std::string name_, title_, introduction_;
  std::map<std::string, Parts, std::less<>> sections_, look_ups_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>, std::less<>> blocks_;
};

/// With spaces for its line breaks.
std::string on_one_line(std::string text);

/// Replaces each {field} by look_up(field).
///
/// Errors    std::invalid_argument for a brace that is not closed; whatever look_up throws for a
///           field that it does not know.
std::string fill(std::string_view text,
                 const std::function<std::string(std::string_view)>& look_up);

}  // namespace embedscale::report
