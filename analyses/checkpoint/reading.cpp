#include "checkpoint/reading.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "audit/error.hpp"

namespace embedscale::checkpoint {
namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;

/// An object of objects at most, or of texts: what both files are. Arrays hold whole numbers, and
/// stand in objects of the second depth.
class Reader : public Sax {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  bool null() override { return wrong("null"); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return wrong("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return wrong("bytes"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (in_array_) return take(value), true;
    return other();
  }
  bool string(string_t& value) override {
    if (in_array_ || keys_.empty()) return wrong("a text");
    take(value);
    return true;
  }
  bool start_object(std::size_t) override {
    if (in_array_ || keys_.size() == 2) return wrong("an object");
    keys_.emplace_back();
    path_.emplace_back();
    return true;
  }
  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second)
      refuse(file_, fmt::format("has the key \"{}\" twice", audit::printable(key)));
    path_.back() = key;
    return true;
  }
  bool end_object() override {
    const auto keys = std::move(keys_.back());
    keys_.pop_back();
    path_.pop_back();
    if (!path_.empty()) close(keys);
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_array_ || keys_.size() != 2) return wrong("an array");
    in_array_ = true;
    return true;
  }
  bool end_array() override {
    in_array_ = false;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception&) override {
    refuse(file_, fmt::format("is not JSON at byte {} of its header", at));
  }

 protected:
  virtual void take(std::string& text) = 0;
  virtual void take(std::uint64_t) { wrong("a number"); }
  virtual void close(const std::set<std::string>&) {}  // of an object at path_
  virtual bool other() { return wrong("a value"); }
  bool wrong(std::string_view what) const {
    refuse(file_, fmt::format("has {} where \"{}\" cannot have one", what,
                              path_.empty() ? "" : audit::printable(path_.back())));
  }

  const std::filesystem::path& file_;
  std::vector<std::string> path_;  // the key of each object that is open

 private:
  std::vector<std::set<std::string>> keys_;  // of each object that is open
  bool in_array_ = false;
};

class HeaderReader : public Reader {
 public:
  using Reader::Reader;
  std::vector<Tensor> all;

 private:
  bool is_of_tensor() const { return path_.size() == 2 && path_[0] != "__metadata__"; }
  void take(std::string& text) override {
    if (path_.size() == 1) wrong("a text");
    if (is_of_tensor() && path_[1] == "dtype") now_.dtype = text;
  }
  void take(std::uint64_t value) override {
    if (!is_of_tensor() || (path_[1] != "shape" && path_[1] != "data_offsets")) wrong("a number");
    auto& list = path_[1] == "shape" ? now_.shape : offsets_;
    if (list.size() == most_dimensions) wrong("more numbers");
    list.push_back(value);
  }
  void close(const std::set<std::string>& keys) override {
    now_.name = path_.back();
    if (now_.name != "__metadata__") {
      if (keys != std::set<std::string>{"data_offsets", "dtype", "shape"} || offsets_.size() != 2 ||
          offsets_[0] > offsets_[1])
        refuse(file_, fmt::format("tensor \"{}\" needs a dtype, a shape and two data_offsets in "
                                  "their order, and nothing else",
                                  audit::printable(now_.name)));
      now_.begin = offsets_[0], now_.bytes = offsets_[1] - offsets_[0];
      all.push_back(now_);
    }
    now_ = {}, offsets_ = {};
  }

  static constexpr std::size_t most_dimensions = 32;
  Tensor now_;
  std::vector<std::uint64_t> offsets_;
};

class IndexReader : public Reader {
 public:
  using Reader::Reader;
  std::map<std::string, std::string> all;

 private:
  void take(std::string& text) override {
    if (path_.size() == 2 && path_[0] == "weight_map") all[path_[1]] = text;
  }
  bool other() override { return true; }  // such as metadata.total_size
};

// Of the reader that has read all of it.
template <class Of>
auto read(std::string_view json, const std::filesystem::path& file) {
  Of reader(file);
  nlohmann::json::sax_parse(json, &reader);
  return std::move(reader.all);
}

}  // namespace

void refuse(const std::filesystem::path& file, std::string_view what) {
  throw audit::ContentError(fmt::format("{}: {}", audit::printable(file.string(), 200), what));
}

std::vector<Tensor> read_header(std::string_view json, const std::filesystem::path& file) {
  return read<HeaderReader>(json, file);
}

std::map<std::string, std::string> read_index(std::string_view json,
                                              const std::filesystem::path& file) {
  auto all = read<IndexReader>(json, file);
  if (all.empty())
    refuse(file,
           "is JSON without a weight_map: the index of shards has one, as "
           "model.safetensors.index.json");
  return all;
}

std::vector<std::uint64_t> read_shape(std::string_view text, const std::filesystem::path& file) {
  std::vector<std::uint64_t> shape;
  const auto* at = text.data();
  const auto* end = at + text.size();
  const auto skip = [&] {
    while (at != end && *at == ' ') ++at;
  };
  for (skip(); at != end; skip()) {
    std::uint64_t n = 0;
    const auto read = std::from_chars(at, end, n);
    at = read.ptr;
    skip();
    if (read.ec != std::errc() || (at != end && *at != ',') || shape.size() == 32)
      refuse(file, fmt::format("the shape ({}) is none: whole numbers with commas between them",
                               audit::printable(text)));
    shape.push_back(n);
    if (at != end) ++at;
  }
  return shape;
}

}  // namespace embedscale::checkpoint
