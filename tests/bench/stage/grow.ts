/**
 * Rows as a long-lived database has them, written by SQL: they only have to be in the way. A client
 * of its own, because the product's connections have a limit for each statement.
 */
import { Client } from 'pg';

const SESSIONS_PER_WALLET = 100;
/** Share of the log that an agent's refusals make up: one row in so many. */
const DENIED_EVERY = 20;

/** Adds live sessions of unused wallets, each with its key and its lane. */
export async function addSessionRows(databaseUrl: string, count: number): Promise<void> {
  const wallets = Math.ceil(count / SESSIONS_PER_WALLET);
  await runAll(databaseUrl, [
    'begin',
    `insert into wallet (owner, vault_pda, vault_usdc_ata, status, active_slot)
      select 'owner-' || n, 'vault-' || n, 'vault-usdc-' || n, 'active', 1
      from generate_series(1, ${wallets}) as n`,
    `create temporary table grown on commit drop as
      select gen_random_uuid() as session_id, wallet.wallet_id, n
      from generate_series(1, ${count}) as n
      join wallet on wallet.owner = 'owner-' || (1 + n % ${wallets})`,
    `insert into session_key (pubkey, sealed, key_version, session_id)
      select 'session-key-' || n, '\\x00', 1, session_id from grown`,
    `insert into session (session_id, wallet_id, session_pubkey, session_pda, session_index,
        max_per_tx, daily_cap, expiry, allowed_recipients, allowed_instructions, status, live_slot)
      select session_id, wallet_id, 'session-key-' || n, 'session-' || n, n, 1000000, 1000000000,
        extract(epoch from now() + interval '1 day')::bigint, '{}', 1, 'live', 1
      from grown`,
    'insert into lane (session_id, wallet_id) select session_id, wallet_id from grown',
    `insert into api_key (key_hash, session_id, wallet_id, key_prefix)
      select sha256(session_id::text::bytea), session_id, wallet_id, 'svc_dev_' from grown`,
    'commit',
    'vacuum analyze session',
  ]);
}

/** Fills the log of a wallet to `count` rows, over its sessions in turns. */
export async function fillAudit(
  databaseUrl: string,
  walletId: string,
  count: number,
): Promise<void> {
  await runAll(databaseUrl, [
    'begin',
    // The follower may still append the owner's own events.
    `select from wallet where wallet_id = '${walletId}' for update`,
    `insert into audit (wallet_id, seq, session_id, action, amount, recipient, decision, reason,
        tx_signature, created_at, previous_hash, hash)
      select wallet.wallet_id, n, sessions.ids[1 + n % cardinality(sessions.ids)], 'transfer',
        1000, 'recipient', case when n % ${DENIED_EVERY} = 0 then 'deny' else 'allow' end,
        case when n % ${DENIED_EVERY} = 0 then 'OUTSIDE_TIME_WINDOW' end,
        case when n % ${DENIED_EVERY} = 0 then null else 'signature-' || n end,
        now(), sha256(n::text::bytea), sha256((n + 1)::text::bytea)
      from wallet,
        (select array_agg(session_id) as ids from session
          where wallet_id = '${walletId}') as sessions,
        generate_series(wallet.audit_seq + 1, ${count}::bigint) as n
      where wallet.wallet_id = '${walletId}'`,
    `update wallet set audit_seq = ${count} where wallet_id = '${walletId}'`,
    'commit',
    'vacuum analyze audit',
  ]);
}

async function runAll(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
