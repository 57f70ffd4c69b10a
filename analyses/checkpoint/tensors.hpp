#pragma once
// The tensors of a file that anybody may have sent: safetensors, alone or in shards, NumPy's .npy,
// and raw numbers of a stated shape. Formats are told apart by content. Nothing that a file says is
// believed before it has been checked; no tensor is kept in memory.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::checkpoint {

/// What an element is. Of those that are `other` only the size is known.
enum class Element { f64, f32, f16, bf16, f8_e4m3, f8_e5m2, other };

/// A regular file that is open to be read.
class File {
 public:
  /// Errors    report::FileError: it cannot be opened, or is a directory, a pipe, a device.
  explicit File(const std::filesystem::path& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Reads, not maps: a file that shrinks meanwhile is an error, not the end of the process.
  ///
  /// Errors    report::FileError, also where the file ends before.
  void read(std::uint64_t at, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

struct Tensor {
  std::string name;   ///< the file's stem where it has one without a name
  std::string dtype;  ///< in the words of safetensors: "BF16"
  std::vector<std::uint64_t> shape;
  std::shared_ptr<const File> file;
  std::uint64_t begin = 0, bytes = 0;  ///< where its elements are, row by row, little-endian

  Element element() const;
  std::uint64_t size_of_element() const;
  bool is_table() const { return shape.size() == 2; }
};

/// "[8002, 256]".
std::string words_of(const std::vector<std::uint64_t>& shape);

/// All tensors of a file, by where they are; of `*.safetensors.index.json` those of all its shards.
///
/// Ensures   of each, bytes is the product of its shape times its element's size; in safetensors
///           they are side by side and fill the file; names are not repeated.
/// Errors    audit::ContentError, one line: what the file says cannot be, or it is of another
///           format, with what to do instead; report::FileError.
std::vector<Tensor> tensors_of(const std::filesystem::path& file);

/// A file of nothing but elements: a shape as "8002,256" and a dtype.
///
/// Errors    as above, also where the file is of a known format, or of another size.
Tensor raw_tensor(const std::filesystem::path& file, const std::string& shape,
                  const std::string& dtype);

/// The header of a safetensors file, whose tensors begin behind it.
struct Header {
  std::string json;         ///< with the blanks that fill it up
  std::uint64_t begin = 0;  ///< of the first tensor
};
Header header_of(const File& file);

}  // namespace embedscale::checkpoint
