#!/bin/sh
# Verifies the audit log and writes the result for the textfile collector of the node exporter.
# Usage: verify-audit.sh FILE COMMAND..., for example from cron, once a day:
#   verify-audit.sh /var/lib/node_exporter/agent_wallet_audit.prom agent-wallet audit verify
# The command's output and exit code are passed on: 0 all equal, 1 a difference, 2 not verified.
set -u
if [ "$#" -lt 2 ]; then
  echo 'usage: verify-audit.sh FILE COMMAND...' >&2
  exit 2
fi
file=$1
shift
"$@"
code=$?
# The time of the last verification that came to an end is kept while later ones fail.
verified=$(sed -n 's/^agent_wallet_audit_verify_success_timestamp_seconds //p' "$file" 2>/dev/null)
if [ "$code" -le 1 ]; then verified=$(date +%s); fi
temporary="$file.$$"
{
  echo '# HELP agent_wallet_audit_verify_exit_code Exit code of the last verification of the audit log: 0 all equal, 1 a difference, 2 not verified'
  echo '# TYPE agent_wallet_audit_verify_exit_code gauge'
  echo "agent_wallet_audit_verify_exit_code $code"
  if [ -n "$verified" ]; then
    echo '# HELP agent_wallet_audit_verify_success_timestamp_seconds When the audit log was last verified to the end'
    echo '# TYPE agent_wallet_audit_verify_success_timestamp_seconds gauge'
    echo "agent_wallet_audit_verify_success_timestamp_seconds $verified"
  fi
} >"$temporary"
# The collector must not read a file that is half written.
mv "$temporary" "$file"
exit "$code"
