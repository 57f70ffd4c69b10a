#include "report/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace embedscale::report {

Coordinate::Coordinate(const Coordinate&) = default;
Coordinate::Coordinate(Coordinate&&) noexcept = default;
Coordinate& Coordinate::operator=(const Coordinate&) = default;
Coordinate& Coordinate::operator=(Coordinate&&) noexcept = default;
Coordinate::~Coordinate() = default;

bool operator==(const Coordinate& a, const Coordinate& b) { return a.value_ == b.value_; }

std::string Coordinate::text() const {
  struct {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(const std::string& x) const { return x; }
    std::string operator()(const List& x) const { return fmt::format("{}", fmt::join(x, ", ")); }
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return std::to_string(x); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
  } text_of;
  return std::visit(text_of, value_);
}

double Coordinate::number() const {
  const auto* integer = std::get_if<std::int64_t>(&value_);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value_);
}

const Coordinate* Place::find(std::string_view axis) const {
  const auto found = std::ranges::find(entries_, axis, &Entry::first);
  return found == entries_.end() ? nullptr : &found->second;
}

const Coordinate& Place::at(std::string_view axis) const {
  if (const auto* found = find(axis)) return *found;
  throw std::out_of_range(fmt::format("no axis '{}' at {}", axis, text()));
}

Place& Place::set(std::string_view axis, Coordinate coordinate) {
  const auto found = std::ranges::find(entries_, axis, &Entry::first);
  if (found != entries_.end())
    found->second = std::move(coordinate);
  else
    entries_.emplace_back(axis, std::move(coordinate));
  return *this;
}

std::string Place::text() const {
  std::string out;
  for (const auto& [axis, coordinate] : entries_)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", axis, coordinate.text());
  return out;
}

}  // namespace embedscale::report
