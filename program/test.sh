#!/usr/bin/env bash
# Tests of the on-chain program: the rules on the host, then the built program on LiteSVM.
# AGENT_WALLET_SO=<file> tests another build than the committed artifact.
set -euo pipefail

program=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$program"

if command -v cargo >/dev/null; then
  cargo test --quiet --locked
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
