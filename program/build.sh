#!/usr/bin/env bash
# Builds the on-chain programs with Debian's Rust and the sbpf linker: the wallet, the sandbox
# yield reserve of local and test chains, and the hostile reserve of the tests.
#
#   program/build.sh           writes program/artifacts/*.so and BUILT_WITH
#   program/build.sh --check   rebuilds and compares with the committed artifacts; also builds
#                              the wallet for devnet's yield reserve, which must fail without an
#                              address of its own
#   program/build.sh --ready   exit code 0 if all build tools are installed, else 1
#
# As root on Debian it installs missing tools. PROGRAM_ID=<address> builds the wallet for that
# address instead of the public test key's, into program/target/deploy; RESERVE=devnet then
# selects devnet's yield reserve instead of the sandbox. RESERVE needs PROGRAM_ID.
set -euo pipefail

program=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
artifacts=$program/artifacts
# Artifact and package of each program.
programs=(
  agent_wallet:agent-wallet-program
  reserve_sandbox:reserve-sandbox-program
  reserve_hostile:reserve-hostile-program
)
built_with=$artifacts/BUILT_WITH
# The yield reserve for which the wallet is built.
reserve=sandbox
# Stands for the address of a deployment in --check: nobody's.
example_id=11111111111111111111111111111112
target=bpfel-unknown-none
packages=(rustc-web cargo-web rust-web-llvm libstd-rust-web-dev-bpf llvm-22-dev g++)
llvm=/usr/lib/llvm-22
linker_version=0.2.6
linker_root=${XDG_CACHE_HOME:-$HOME/.cache}/agent-wallet/sbpf-linker-$linker_version

say() { printf 'program: %s\n' "$*"; }
fail() {
  say "$*" >&2
  exit 1
}

# Puts Debian's cargo and rustc and the linker first on PATH.
export PATH="/usr/bin:/bin:$linker_root/bin:$PATH"

have_rust() {
  [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && [ -d "$llvm/lib" ] &&
    [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/$target/lib" ]
}

install_rust() {
  have_rust && return
  command -v apt-get >/dev/null || fail "Rust for $target is missing and this is not Debian."
  [ "$(id -u)" = 0 ] || fail "Install these packages as root first: ${packages[*]}"
  say "installing ${packages[*]}"
  apt-get update -qq || fail "apt-get update failed."
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${packages[@]}" >/dev/null || fail "apt-get could not install ${packages[*]}."
  have_rust || fail "The packages are installed, but Rust for $target is still missing."
}

install_linker() {
  [ -x "$linker_root/bin/sbpf-linker" ] && return
  say "building sbpf-linker $linker_version, once, about two minutes"
  LLVM_SYS_221_PREFIX=$llvm RUSTFLAGS="-L $llvm/lib" \
    cargo install --quiet sbpf-linker --version "$linker_version" --locked \
    --no-default-features --features bpf-linker/llvm-22 --root "$linker_root" ||
    fail "sbpf-linker $linker_version could not be built."
}

# Compiler flags, one per line. The remapped paths keep machine paths out of the artifact.
flags() {
  printf '%s\n' -Clinker=sbpf-linker -Cpanic=abort -Crelocation-model=static \
    -Ctarget-cpu=v2 -Ctarget-feature=+allows-misaligned-mem-access \
    -Clink-arg=--arch=v0 -Clink-arg=--disable-math-builtins \
    -Clink-arg=--llvm-args=--bpf-stack-size=4096 \
    "--remap-path-prefix=$program=/program"
  local source
  for source in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
    printf '%s\n' "--remap-path-prefix=${source%/}=/registry"
  done
}

# build_into DIR PROGRAM…: writes DIR/<artifact>.so of each. The wallet is built for $reserve.
build_into() {
  local directory=$1 one
  local -a features
  shift
  mkdir -p "$directory"
  cd "$program"
  cargo fetch --quiet --locked || fail "The crates of Cargo.lock could not be fetched."
  say "compiling with $(rustc --version)"
  # One at a time, so that the crate features of one program do not reach another.
  for one in "$@"; do
    features=()
    [ "$one" != "${programs[0]}" ] || features=(--no-default-features --features "$reserve")
    CARGO_ENCODED_RUSTFLAGS=$(flags | paste -sd $'\x1f') CARGO_TARGET_DIR=$directory/cargo \
      cargo build --quiet --locked --release --target "$target" -p "${one#*:}" \
      "${features[@]}" ||
      fail "${one#*:} does not compile."
    cp "$directory/cargo/$target/release/lib${one%:*}.so" "$directory/${one%:*}.so"
  done
}

versions() {
  rustc -vV | sed -n 's/^release: /rustc /p; s/^LLVM version: /rustc-llvm /p'
  sbpf-linker --version | sed -n 's/^LLVM /sbpf-linker-llvm /p; s/^sbpf-linker /&/p'
}

write_artifacts() {
  local one name
  build_into "$program/target/sbf" "${programs[@]}"
  mkdir -p "$artifacts"
  versions >"$built_with"
  for one in "${programs[@]}"; do
    name=${one%:*}.so
    cp "$program/target/sbf/$name" "$artifacts/$name"
    printf 'sha256 %s %s\n' "$(sha256sum <"$artifacts/$name" | cut -d ' ' -f 1)" "$name" \
      >>"$built_with"
    say "wrote artifacts/$name, $(wc -c <"$artifacts/$name") bytes"
  done
  cat "$built_with"
}

# The wallet builds for devnet's yield reserve, but not for the address of the public test key.
check_devnet() {
  local directory=$1 output
  local -r refusal='a build for devnet needs PROGRAM_ID'
  reserve=devnet
  if output=$(build_into "$directory" "${programs[0]}" 2>&1); then
    fail "The wallet builds for devnet without PROGRAM_ID."
  fi
  grep -qF "$refusal" <<<"$output" || fail "Another failure than \"$refusal\": $output"
  PROGRAM_ID=$example_id build_into "$directory" "${programs[0]}"
  say "the wallet builds for devnet's yield reserve, and not without an address of its own"
  reserve=sandbox
}

check_artifacts() {
  local directory=$program/target/check one name other=
  rm -rf "$directory"
  check_devnet "$directory/devnet"
  build_into "$directory" "${programs[@]}"
  for one in "${programs[@]}"; do
    name=${one%:*}.so
    cmp -s "$artifacts/$name" "$directory/$name" || other+=" $name"
  done
  if [ -z "$other" ]; then
    say "rebuilt to the committed bytes"
    return
  fi
  if [ "$(versions)" = "$(grep -v '^sha256 ' "$built_with")" ]; then
    fail "The same tools give other bytes for$other: run program/build.sh."
  fi
  say "rebuild not comparable; the artifacts were built with"
  cat "$built_with"
  say "and this machine has"
  versions
  say "testing the rebuilt programs"
  AGENT_WALLET_SO=$directory/agent_wallet.so \
    RESERVE_SANDBOX_SO=$directory/reserve_sandbox.so bash "$program/test.sh"
}

if [ "${1-}" = --ready ]; then
  have_rust && [ -x "$linker_root/bin/sbpf-linker" ]
  exit
fi
install_rust
install_linker
case "${1-}" in
  --check)
    unset PROGRAM_ID
    check_artifacts
    ;;
  '')
    if [ -n "${PROGRAM_ID-}" ]; then
      reserve=${RESERVE:-sandbox}
      build_into "$program/target/deploy" "${programs[0]}"
      say "wrote target/deploy/agent_wallet.so for $PROGRAM_ID with the reserve of $reserve"
    elif [ -n "${RESERVE-}" ]; then
      fail "RESERVE=$RESERVE needs PROGRAM_ID, the address of the deployment."
    else
      # The compiler would take an empty one for an address.
      unset PROGRAM_ID
      write_artifacts
    fi
    ;;
  *) fail "Usage: program/build.sh [--check | --ready]" ;;
esac
