#!/usr/bin/env bash
# Tests of the on-chain programs: the rules on the host, clippy, then the built programs on
# LiteSVM.
# AGENT_WALLET_SO=<file> and RESERVE_SANDBOX_SO=<file> test builds other than the artifacts.
set -euo pipefail

program=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$program"

if command -v cargo >/dev/null; then
  cargo test --quiet --locked
  bash lint.sh
else
  echo 'program: SKIPPED host tests, there is no cargo on PATH'
fi

cd "$program/.."
[ -x node_modules/.bin/vitest ] || {
  echo 'program: run npm ci first, vitest is missing' >&2
  exit 1
}
export PATH="$PWD/node_modules/.bin:$PATH"
vitest run program/tests
