#include "training/ranks.hpp"

#include <spdlog/spdlog.h>

#include <string>

#include "numerics/fingerprint.hpp"
#include "numerics/parallel.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

std::uint64_t fingerprint(Config config) {
  config.data.directory.clear();
  config.tokenizer.source_model.clear();
  config.tokenizer.target_model.clear();
  config.model_from.clear();  // its shape is in other keys, its tokenizers are compared, its weights are the first rank's
  Fingerprint fingerprint;
  fingerprint.mix(write_config(config));
  return fingerprint.value();
}

}  // namespace

void prepare_ranks(const Communicator& ranks, const Config& config) {
  if (ranks.size() == 1) return;
  if (ranks.size() > config.training.shards) {
    throw UserError("training.shards: expected at least as many shards as processes, for each computes some of them; "
                    "found " + std::to_string(config.training.shards) + " shards and " + std::to_string(ranks.size()) +
                    " processes. Start fewer, or raise training.shards, which changes the result's last digits.");
  }
  share_processors(ranks.ranks_sharing());
}

void log_ranks(const Communicator& ranks, Index shards) {
  if (ranks.size() == 1) return;
  const int used = ranks.ranks_here() * thread_count(), there = ranks.processors_here();
  spdlog::info("{} ranks on {} machine(s) divide {} shards; on this one {} with {} thread(s) each, on {} processors",
               ranks.size(), ranks.machines(), shards, ranks.ranks_here(), thread_count(), there);
  if (used > there) {
    spdlog::warn("{} threads share {} processors of this machine: OMP_NUM_THREADS is for each rank", used, there);
  } else if (ranks.ranks_sharing() == 1 && ranks.ranks_here() == there && 2 * there <= processor_count()) {
    spdlog::warn("only {} of this machine's {} processors are used: mpirun binds a process to a core, unless it is "
                 "told --bind-to none", there, processor_count());
  }
}

void require_same_config(const Communicator& ranks, const Config& config) {
  ranks.require_same("the config", [&] { return fingerprint(config); }, "Give all the same file and the same --set.");
}

}  // namespace glassformer
