#include "cli/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "audit/config_json.hpp"
#include "audit/error.hpp"
#include "checkpoint/apply.hpp"
#include "checkpoint/fingerprint.hpp"
#include "cli/program.hpp"
#include "inputs/inputs.hpp"

namespace embedscale::cli {
namespace {

constexpr const char* pattern_help =
    "the tensors of a parameter, where their names are not known: 'token table=*.wte.weight'";

std::vector<checkpoint::Tensor> tensors_of(const FingerprintRequest& request) {
  if (request.shape.empty() != request.dtype.empty())
    throw std::invalid_argument("fingerprint: --shape and --dtype are needed together");
  if (!request.shape.empty()) {
    if (request.files.size() != 1)
      throw std::invalid_argument("fingerprint: --shape is that of one FILE");
    return {checkpoint::raw_tensor(request.files.front(), request.shape, request.dtype)};
  }
  std::vector<checkpoint::Tensor> all;
  for (const auto& file : request.files)
    for (auto& one : checkpoint::tensors_of(file)) {
      if (request.files.size() > 1 &&
          std::ranges::count(all, one.name, &checkpoint::Tensor::name) > 0)
        throw std::invalid_argument(
            fmt::format("fingerprint: two FILEs have a tensor \"{}\"", audit::printable(one.name)));
      all.push_back(std::move(one));
    }
  return all;
}

}  // namespace

CLI::App* add_fingerprint(CLI::App& app, FingerprintRequest& request) {
  auto* command = app.add_subcommand(
      "fingerprint", "What a trained token table is like, beside what it may have begun as");
  command
      ->add_option("FILE", request.files,
                   "of one checkpoint: safetensors, the model.safetensors.index.json of several, "
                   ".npy, or numbers alone with --shape and --dtype")
      ->required();
  command->add_option("--shape", request.shape, "of numbers alone, such as 8002,256");
  command->add_option("--dtype", request.dtype, "of numbers alone, as safetensors has it: F32");
  command->add_option("--tensor", request.tensors, pattern_help)
      ->type_name("PARAMETER=PATTERN")
      ->allow_extra_args(false);
  command
      ->add_option("--config", request.config,
                   "the code's config.json or TOML: its multiplier, positions and initial tables")
      ->type_name("FILE");
  command
      ->add_option("--lengths", request.lengths,
                   "numbers of positions over which these are compared with tokens")
      ->delimiter(',')
      ->check(CLI::Range(2, 1 << 16))
      ->capture_default_str();
  command->add_option("--figures", request.figures, "draw figures/*.svg and data/*.csv below it")
      ->type_name("DIRECTORY");
  command->add_flag("--list", request.list, "list the tensors, and nothing else");
  command->add_flag("--json", request.json, "one JSON object on a line");
  return command;
}

int fingerprint(const FingerprintRequest& request) {
  const auto tensors = tensors_of(request);
  if (request.list) {
    std::string list;
    for (const auto& one : tensors)
      list += fmt::format("{} {} {}\n", audit::printable(one.name, 200), one.dtype,
                          checkpoint::words_of(one.shape));
    return print(list);
  }
  std::optional<audit::Configuration> configuration;
  if (!request.config.empty())
    configuration = audit::configurations_of(inputs::read(request.config), {},
                                             inputs::model_types(share("model_types")))
                        .back();
  const auto found = checkpoint::fingerprint_of(tensors, checkpoint::patterns_from(request.tensors),
                                                request.lengths, configuration);
  if (!request.figures.empty())
    for (const auto& figure : checkpoint::figures_of(found))
      report::write_figure(figure, request.figures);
  return print(request.json ? checkpoint::json_line(found) + "\n" : checkpoint::words_of(found));
}

void add_apply(CLI::App& port, ApplyRequest& request) {
  auto* apply = port.add_option("--apply", request.files,
                                "do the steps to a file of safetensors, and write what comes of it")
                    ->type_name("IN OUT")
                    ->expected(2);
  port.add_option("--tensor", request.tensors, pattern_help)
      ->type_name("PARAMETER=PATTERN")
      ->allow_extra_args(false)
      ->needs(apply);
  port.add_flag("--dry-run", request.dry_run, "with --apply: try all of it and write nothing")
      ->needs(apply);
}

int apply(const ApplyRequest& request, const port::Port& port) {
  const std::filesystem::path in = request.files.at(0), out = request.files.at(1);
  if (out.empty()) throw std::invalid_argument("port: --apply: OUT must be a file's name");
  const auto patterns = checkpoint::patterns_from(request.tensors);
  const auto applied =
      checkpoint::apply(port, in, request.dry_run ? std::filesystem::path() : out, patterns);
  return print(checkpoint::words_of(applied, port, patterns, checkpoint::tensors_of(in)));
}

}  // namespace embedscale::cli
