#!/usr/bin/env bash
# Makes the two images that deploy/Containerfile starts from where no registry can be pulled:
#
#   localhost/agent-wallet/base     Debian's signed packages alone
#   localhost/agent-wallet/builder  the same, with the Node of this clone and the npm of this machine
#
# Needs root, mmdebstrap, podman and buildah, and that npm ci has run. An image that exists is kept;
# --fresh makes both again. Packages come from DEBIAN_MIRROR, else from the mirror of this machine,
# else from Debian's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

suite=bookworm
base=localhost/agent-wallet/base:$suite
builder=localhost/agent-wallet/builder:$suite
fresh=${1:-}

missing() { [ "$fresh" = --fresh ] || ! podman image exists "$1"; }

if missing "$base"; then
  mirror=${DEBIAN_MIRROR:-}
  if [ -z "$mirror" ] && [ -e /etc/apt/sources.list.d/debian.sources ]; then
    mirror=/etc/apt/sources.list.d/debian.sources
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates \
    "$suite" "$folder/base.tar" ${mirror:+"$mirror"}
  podman import --quiet "$folder/base.tar" "$base" >/dev/null
  echo "$base made"
fi

if missing "$builder"; then
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  container=$(buildah from "$base")
  buildah copy --quiet "$container" node_modules/.bin/node /usr/local/bin/node >/dev/null
  buildah copy --quiet "$container" "$npm" /usr/local/lib/node_modules/npm >/dev/null
  buildah run --isolation chroot "$container" -- \
    ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  buildah commit --quiet --rm "$container" "$builder" >/dev/null
  echo "$builder made"
fi
