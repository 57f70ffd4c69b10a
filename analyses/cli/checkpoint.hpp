#pragma once
// The commands that read checkpoints: `fingerprint`, and what `port` does to a file.
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "port/port.hpp"

namespace embedscale::cli {

struct FingerprintRequest {
  std::vector<std::string> files, tensors;  ///< "token table=PATTERN"
  std::vector<std::uint64_t> lengths{16, 64, 256, 1024};
  std::string shape, dtype, config, figures;
  bool list = false, json = false;
};
CLI::App* add_fingerprint(CLI::App& app, FingerprintRequest& request);
int fingerprint(const FingerprintRequest& request);

struct ApplyRequest {
  std::vector<std::string> files;  ///< that is read, that is written; none: nothing is asked for
  std::vector<std::string> tensors;
  bool dry_run = false;
};
void add_apply(CLI::App& port, ApplyRequest& request);
int apply(const ApplyRequest& request, const port::Port& port);

}  // namespace embedscale::cli
