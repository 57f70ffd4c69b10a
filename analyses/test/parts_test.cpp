// Lists of parts from inside; all that programs show of them: parts_test.py.
#include "parts/parts.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <stdexcept>

#include "scratch.hpp"

namespace embedscale::parts {
namespace {

TEST(parts, are_found_in_order_kept_or_new_and_give_their_results_in_place) {
  const Scratch folder;
  std::vector<Part> list;
  for (std::size_t i = 0; i < 8; ++i) list.push_back({"a/" + std::to_string(i), "sources"});
  std::vector<std::size_t> order, evaluations;
  const auto evaluate = [&](std::size_t i) -> Parts::Result {
    evaluations.push_back(i);
    return i == 2 ? std::nullopt : std::optional(std::to_string(i));
  };
  const Parts::Ways ways{.found = [&](std::size_t i, const std::string&) { order.push_back(i); },
                         .counts = [](const std::string& result) { return result != "4"; },
                         .goes_on = [&] { return order.size() < 5; }};
  const std::vector<std::size_t> found{0, 1, 3, 4, 5};
  const std::vector<Parts::Result> wanted{"0", "1", {}, "3", "4", "5", {}, {}};
  Parts parts({.jobs = 1}, folder.path());
  EXPECT_EQ(parts.make(list, evaluate, ways), wanted);
  EXPECT_EQ(order, found);
  EXPECT_EQ(parts.missing(), 3u);
  order.clear();
  evaluations.clear();
  EXPECT_EQ(parts.make(list, evaluate, ways), wanted);
  EXPECT_EQ(order, found);
  EXPECT_EQ(evaluations, (std::vector<std::size_t>{2, 4})) << "what came to nothing or too little";
  const auto throws = [](std::size_t) -> Parts::Result { throw std::range_error("two"); };
  EXPECT_THROW(parts.make(list, throws), std::range_error);
  const auto stops = [](std::size_t) -> Parts::Result { return std::to_string(::raise(SIGTERM)); };
  EXPECT_EQ(parts.make({{"b/0", ""}, {"b/1", ""}}, stops), (std::vector<Parts::Result>{"0", {}}));
}

}  // namespace
}  // namespace embedscale::parts
