#!/usr/bin/env bash
# Every exhaustive run as an array of Slurm's, a share each, in a clone that all nodes see:
#   sbatch --array=1-8 examples/slurm/exhaustive.sh && ./dev exhaustive   # when all are done: merges
# Another command in its place: sbatch --array=1-8 examples/slurm/exhaustive.sh train
#SBATCH --cpus-per-task=2
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:?sbatch sets it: start this by sbatch from the clone}"
exec ./dev "${@:-exhaustive}" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --jobs "$SLURM_CPUS_PER_TASK"
