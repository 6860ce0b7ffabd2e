#!/usr/bin/env bash
# cargo clippy on the programs. Cargo.toml denies arithmetic that does not define its overflow,
# and unsafe code without a reason.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
if ! cargo clippy --version >/dev/null 2>&1; then
  echo 'program: SKIPPED clippy, there is no cargo clippy on PATH (Debian: rust-web-clippy)'
  exit
fi
cargo clippy --quiet --locked --workspace
echo 'program: clippy found nothing'
