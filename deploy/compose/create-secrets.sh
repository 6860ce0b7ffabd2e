#!/usr/bin/env bash
# Creates the secrets of deploy/compose.yaml in deploy/secrets, or in SECRETS_DIR. A file that exists
# is kept, so that it can be run again. RPC_URL must be set at the first run. POSTGRES_HOST is how
# the processes reach the database (postgres:5432).
#
# The folder is for its owner alone. The files in it can be read by the users inside the containers,
# where each process sees its own only.
set -euo pipefail

folder=${SECRETS_DIR:-$(dirname "${BASH_SOURCE[0]}")/../secrets}
host=${POSTGRES_HOST:-postgres:5432}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

# keep NAME: writes standard input to the file unless it exists.
keep() {
  if [ ! -e "$1" ]; then
    cat >"$1.new"
    chmod 444 "$1.new"
    mv "$1.new" "$1"
  fi
}
# Without characters that a URL or a statement would have to escape.
password() { head -c 24 /dev/urandom | base64 | tr '+/' '-_'; }
key() { head -c 32 /dev/urandom | base64; }

[ -e rpc-url ] || printf '%s\n' "${RPC_URL:?Set RPC_URL to the RPC endpoints, separated by commas.}" | keep rpc-url

for name in postgres api tx-worker confirm-worker grafana; do password | keep "$name-password"; done
url() { printf 'postgres://%s:%s@%s/agent_wallet\n' "$1" "$(cat "$2")" "$host"; }
url agent_wallet postgres-password | keep owner-database-url
for process in api tx-worker confirm-worker; do
  url "${process//-/_}_1" "$process-password" | keep "$process-database-url"
  login=${process//-/_}
  printf "select 'create role %s_1 login' where not exists (select from pg_roles where rolname = '%s_1') \\\\gexec\n" "$login" "$login"
  printf "alter role %s_1 password '%s';\n" "$login" "$(cat "$process-password")"
  printf "grant agent_wallet_%s to %s_1;\n" "$login" "$login"
done | keep logins.sql

key | keep cookie-secret
key | keep api-key-pepper
key | keep keystore-key
key | keep webhook-key
if [ ! -e fee-payer-keys ]; then
  echo "Write the keys of the fee payers to $PWD/fee-payer-keys: docs/runbook.md, Secrets." >&2
fi
