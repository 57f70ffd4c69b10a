#include "checkpoint/tensors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <system_error>

#include "audit/error.hpp"
#include "checkpoint/reading.hpp"
#include "report/file.hpp"

static_assert(std::endian::native == std::endian::little, "elements are used as they are stored");

namespace embedscale::checkpoint {

namespace {

struct Kind {
  std::string_view dtype, numpy;
  Element element;
  std::uint64_t bytes;
};
constexpr Kind kinds[] = {
    {"F64", "<f8", Element::f64, 8},      {"F32", "<f4", Element::f32, 4},
    {"F16", "<f2", Element::f16, 2},      {"BF16", "", Element::bf16, 2},
    {"F8_E4M3", "", Element::f8_e4m3, 1}, {"F8_E5M2", "", Element::f8_e5m2, 1},
    {"F8_E8M0", "", Element::other, 1},   {"BOOL", "|b1", Element::other, 1},
    {"I8", "|i1", Element::other, 1},     {"U8", "|u1", Element::other, 1},
    {"I16", "<i2", Element::other, 2},    {"U16", "<u2", Element::other, 2},
    {"I32", "<i4", Element::other, 4},    {"U32", "<u4", Element::other, 4},
    {"I64", "<i8", Element::other, 8},    {"U64", "<u8", Element::other, 8}};

const Kind* kind_named(std::string_view dtype) {
  const auto* found = std::ranges::find(kinds, dtype, &Kind::dtype);
  return found == std::end(kinds) ? nullptr : found;
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw report::FileError(
      fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(error)));
}

// What a file begins with, and what to do with one that does.
struct Foreign {
  std::string_view begin;
  std::size_t at;
  std::string_view what;
};
using namespace std::string_view_literals;
constexpr std::string_view save =
    "; load it where it was made and save the table with safetensors, or numpy.save";
constexpr Foreign foreign[] = {
    {"PK\3\4"sv, 0, "a zip archive, as PyTorch's .pt and .bin, NumPy's .npz and .keras are"},
    {"PK\5\6"sv, 0, "a zip archive with nothing in it"},
    {"\x80\2"sv, 0, "a pickle, which runs whatever code is in it"},
    {"\x80\3"sv, 0, "a pickle, which runs whatever code is in it"},
    {"\x80\4"sv, 0, "a pickle, which runs whatever code is in it"},
    {"\x80\5"sv, 0, "a pickle, which runs whatever code is in it"},
    {"\x89HDF"sv, 0, "HDF5"},
    {"GGUF"sv, 0, "GGUF, whose tables are quantised as a rule"},
    {"\x1f\x8b"sv, 0, "compressed by gzip"},
    {"(\xb5/\xfd"sv, 0, "compressed by zstd"},
    {"ustar"sv, 257, "a tar archive"},
    {"TFL3"sv, 4, "TensorFlow Lite"},
    {"version https://git-lfs"sv, 0,
     "no tensors but a pointer of Git LFS: git lfs pull brings them"}};

void refuse_foreign(const File& file, std::string_view first) {
  for (const auto& [begin, at, what] : foreign)
    if (first.size() >= at && first.substr(at).starts_with(begin))
      refuse(file.path(), fmt::format("is {}{}", what, what.starts_with("no ") ? "" : save));
}

std::string first_bytes(const File& file) {
  std::string first(std::min<std::uint64_t>(file.size(), 512), '\0');
  file.read(0, std::as_writable_bytes(std::span(first)));
  return first;
}

// Of a tensor whose dtype and shape are set.
std::uint64_t bytes_of(const Tensor& tensor) {
  std::uint64_t bytes = tensor.size_of_element();
  for (const auto n : tensor.shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      refuse(tensor.file->path(),
             fmt::format("the shape {} is beyond 2^64 bytes", words_of(tensor.shape)));
  return bytes;
}

std::vector<Tensor> safetensors(std::shared_ptr<const File> file) {
  const auto header = header_of(*file);
  auto all = read_header(header.json, file->path());
  std::ranges::sort(all, {}, [](const Tensor& one) { return std::pair(one.begin, one.bytes); });
  std::uint64_t end = 0;
  for (auto& one : all) {
    one.file = file;
    const auto told = fmt::format("tensor \"{}\"", audit::printable(one.name));
    if (kind_named(one.dtype) == nullptr)
      refuse(file->path(),
             fmt::format("{}: dtype {} is not read", told, audit::printable(one.dtype)));
    if (one.begin != end)
      refuse(file->path(),
             fmt::format("{} begins at {}, where the one before ends at {}", told, one.begin, end));
    if (one.bytes != bytes_of(one))
      refuse(file->path(), fmt::format("{} has {} bytes, and {} of {} has {}", told, one.bytes,
                                       words_of(one.shape), one.dtype, bytes_of(one)));
    end += one.bytes;
    one.begin += header.begin;
  }
  if (end != file->size() - header.begin)
    refuse(file->path(), fmt::format("has {} bytes of tensors, and its header tells of {}",
                                     file->size() - header.begin, end));
  return all;
}

std::vector<Tensor> sharded(const File& index) {
  constexpr std::uint64_t largest_index = 1 << 26;
  if (index.size() > largest_index)
    refuse(index.path(), fmt::format("an index of more than {} bytes is not read", largest_index));
  std::string text(index.size(), '\0');
  index.read(0, std::as_writable_bytes(std::span(text)));
  std::map<std::string, std::vector<Tensor>> shards;
  std::vector<Tensor> all;
  for (const auto& [name, shard] : read_index(text, index.path())) {
    if (shard.empty() || shard.find_first_of("/\\") != shard.npos)
      refuse(index.path(), fmt::format("names the shard \"{}\", which is no file beside it",
                                       audit::printable(shard)));
    auto [place, is_new] = shards.try_emplace(shard);
    if (is_new)
      place->second = safetensors(std::make_shared<File>(index.path().parent_path() / shard));
    const auto found = std::ranges::find(place->second, name, &Tensor::name);
    if (found == place->second.end())
      refuse(index.path(), fmt::format("says that {} has the tensor \"{}\", which it has not",
                                       audit::printable(shard), audit::printable(name)));
    all.push_back(*found);
  }
  return all;
}

Tensor npy(std::shared_ptr<const File> file, std::string_view first) {
  constexpr std::size_t largest_header = 4096;
  const auto refuse_it = [&](std::string_view what) { refuse(file->path(), what); };
  const int version = first.size() > 12 ? first[6] : 0;
  if (version < 1 || version > 3) refuse_it("is .npy of a version that is not read");
  std::size_t length = 0;
  const std::size_t begin = version == 1 ? 10 : 12;
  std::memcpy(&length, first.data() + 8, begin - 8);
  if (length > largest_header || begin + length > file->size())
    refuse_it(fmt::format("has a header of {} bytes", length));
  std::string header(length, '\0');
  file->read(begin, std::as_writable_bytes(std::span(header)));
  const auto after = [&](std::string_view key) {
    const auto at = header.find(key);
    if (at == header.npos || header.find(key, at + 1) != header.npos)
      refuse_it(fmt::format("its header must have {} once", key));
    const auto value = header.find_first_not_of(' ', at + key.size());
    return std::string_view(header).substr(std::min(value, header.size()));
  };
  auto descr = after("'descr':");
  if (!descr.starts_with('\'')) refuse_it("has elements of several parts");
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (descr.starts_with('>')) refuse_it("is big-endian: save it as little-endian, '<'");
  if (descr.find('O') != descr.npos) refuse_it("has Python objects, which are pickles");
  const auto* kind = std::ranges::find(kinds, descr, &Kind::numpy);
  if (descr.empty() || kind == std::end(kinds))
    refuse_it(fmt::format("has elements '{}', which are not read", audit::printable(descr)));
  if (!after("'fortran_order':").starts_with("False"))
    refuse_it("is in Fortran's order: save numpy.ascontiguousarray of it");
  const auto shape = after("'shape':");
  if (!shape.starts_with('(') || shape.find(')') == shape.npos) refuse_it("has no shape");
  Tensor tensor{file->path().stem().string(),
                std::string(kind->dtype),
                read_shape(shape.substr(1, shape.find(')') - 1), file->path()),
                file,
                begin + length,
                0};
  tensor.bytes = bytes_of(tensor);
  if (tensor.bytes != file->size() - tensor.begin)
    refuse_it(fmt::format("has {} bytes of elements, and {} of {} has {}",
                          file->size() - tensor.begin, words_of(tensor.shape), tensor.dtype,
                          tensor.bytes));
  return tensor;
}

bool is_safetensors(const File& file, std::string_view first) {
  std::uint64_t length = 0;
  if (first.size() < 9 || first[8] != '{') return false;
  std::memcpy(&length, first.data(), sizeof length);
  return length <= file.size() - 8;
}
// Cut off: a length that may be one, and a beginning of JSON behind it.
bool may_be_safetensors(std::string_view first) {
  return first.size() > 8 && first[8] == '{' && first.substr(5, 3) == std::string_view("\0\0\0", 3);
}

}  // namespace

File::File(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat about {};
  if (descriptor_ < 0) fail(path, errno);
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
    const int error = S_ISDIR(about.st_mode) ? EISDIR : ESPIPE;
    ::close(descriptor_);
    fail(path, error);
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
}

File::~File() { ::close(descriptor_); }

void File::read(std::uint64_t at, std::span<std::byte> out) const {
  while (!out.empty()) {
    const auto got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, errno);
    if (got == 0) throw report::FileError(path_.string() + ": ends before what was to be read");
    at += static_cast<std::uint64_t>(got), out = out.subspan(static_cast<std::size_t>(got));
  }
}

Element Tensor::element() const { return kind_named(dtype)->element; }
std::uint64_t Tensor::size_of_element() const { return kind_named(dtype)->bytes; }

std::string words_of(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::vector<Tensor> tensors_of(const std::filesystem::path& path) {
  const auto file = std::make_shared<File>(path);
  const auto first = first_bytes(*file);
  if (first.starts_with("\x93NUMPY")) return {npy(file, first)};
  if (is_safetensors(*file, first)) return safetensors(file);
  refuse_foreign(*file, first);
  if (may_be_safetensors(first)) return safetensors(file);
  const auto begin = first.find_first_not_of(" \t\r\n");
  if (begin != first.npos && first[begin] == '{') return sharded(*file);
  refuse(
      path,
      "is neither safetensors nor .npy; of numbers alone the shape and the dtype have to be said: "
      "--shape 8002,256 --dtype F32");
}

Tensor raw_tensor(const std::filesystem::path& path, const std::string& shape,
                  const std::string& dtype) {
  const auto file = std::make_shared<File>(path);
  const auto first = first_bytes(*file);
  if (first.starts_with("\x93NUMPY") || is_safetensors(*file, first))
    refuse(path, "says of itself what it holds: leave out --shape and --dtype");
  refuse_foreign(*file, first);
  if (kind_named(dtype) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& one : kinds) known.push_back(one.dtype);
    throw audit::ContentError(fmt::format("--dtype {}: must be one of {}", audit::printable(dtype),
                                          fmt::join(known, ", ")));
  }
  Tensor tensor{path.stem().string(), dtype, read_shape(shape, "--shape"), file, 0, 0};
  tensor.bytes = bytes_of(tensor);
  if (tensor.bytes != file->size())
    refuse(path, fmt::format("has {} bytes, and {} of {} has {}", file->size(),
                             words_of(tensor.shape), dtype, tensor.bytes));
  return tensor;
}

Header header_of(const File& file) {
  constexpr std::uint64_t largest = 100'000'000;  // as safetensors itself has it
  std::uint64_t length = 0;
  if (file.size() < 8) refuse(file.path(), "is too short for safetensors");
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > largest || length > file.size() - 8)
    refuse(file.path(), fmt::format("tells of a header of {} bytes", length));
  Header header{std::string(length, '\0'), 8 + length};
  file.read(8, std::as_writable_bytes(std::span(header.json)));
  return header;
}

}  // namespace embedscale::checkpoint
