#pragma once
// The page "What is a trained table like?": the fingerprint of the table of a real model, of which
// a part is kept beside this (NOTICE.md). The words are trained/page.md.
#include <filesystem>
#include <string>
#include <vector>

#include "report/figure.hpp"
#include "report/words.hpp"

namespace embedscale::trained {

struct Page {
  std::string markdown;
  std::vector<report::Figure> figures;
};

/// reports/trained.md of what is in a directory: page.md, use_lite.safetensors, use_lite.toml.
///
/// Errors    report::FileError, audit::ContentError; std::invalid_argument where the words miss a
///           part.
Page page(const std::filesystem::path& directory);

}  // namespace embedscale::trained
