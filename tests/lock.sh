#!/usr/bin/env bash
# Writes the locks of the app, the tests, the documents and the models anew from their lists of pins: bash tests/lock.sh [options of uv]
# UV=/path/to/uv names the program (pip install uv); `--upgrade` as an option takes newer versions of what no list names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# torch and what only its CUDA builds need: which build one gets, with which hash, is the installer's choice
left_out=(torch triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc
  nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse
  nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx)

lock() {
  "${UV:-uv}" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
    --custom-compile-command "bash tests/lock.sh" "${left_out[@]/#/--no-emit-package=}" "$@"
}

lock requirements.txt --output-file requirements.lock "$@"
# both lists go into one environment, so the second keeps to the first's versions; torch's stands in the list alone
lock tests/requirements.txt --constraints requirements.txt --constraints requirements.lock --output-file tests/requirements.lock "$@"
lock requirements-models.txt --constraints requirements.lock --constraints tests/requirements.lock --output-file requirements-models.lock "$@"
lock docs/requirements.txt --constraints requirements.lock --constraints tests/requirements.lock --output-file docs/requirements.lock "$@"
