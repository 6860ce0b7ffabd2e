/** A table whose rows belong to wallets. */
export type ExportedTable = {
  readonly table: string;
  /** Which rows belong to the wallet; `$wallet` is its row. */
  readonly of: 'wallet_id' | 'session_id' | 'spend_id' | 'endpoint_id' | 'owner' | 'vault';
  /** Columns that are left out, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
};

/** Everything that belongs to a wallet, in the order in which it is exported. */
export const EXPORTED: readonly ExportedTable[] = [
  { table: 'wallet', of: 'wallet_id' },
  { table: 'wallet_policy', of: 'wallet_id' },
  {
    table: 'owner_session',
    of: 'owner',
    without: { owner_session_id: 'names the session in the owner’s cookie' },
  },
  { table: 'session', of: 'wallet_id' },
  {
    table: 'session_key',
    of: 'session_id',
    without: { sealed: 'the sealed key' },
  },
  { table: 'api_key', of: 'wallet_id', without: { key_hash: 'the hash of the key' } },
  { table: 'lane', of: 'wallet_id' },
  { table: 'spend', of: 'wallet_id' },
  {
    table: 'attempt',
    of: 'wallet_id',
    without: { wire: 'whoever has signed bytes can send them; landed ones are on the chain' },
  },
  { table: 'attempt_watch', of: 'spend_id' },
  { table: 'audit', of: 'wallet_id' },
  { table: 'program_event', of: 'vault' },
  { table: 'unexplained', of: 'wallet_id' },
  { table: 'delivery', of: 'wallet_id' },
  { table: 'webhook_endpoint', of: 'wallet_id' },
  { table: 'webhook_secret', of: 'endpoint_id', without: { sealed: 'the sealed secret' } },
  { table: 'webhook_delivery', of: 'wallet_id' },
];

/**
 * The other tables, with the reason why nothing in them belongs to one wallet.
 *
 * @internal exported for the test that finds a table in neither list
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  api_copy: 'which copies of the API run',
  data_key: 'the sealed keys that seal the session keys of all wallets',
  deployment: 'one row about the whole service',
  fee_payer: 'accounts of the operator',
  leadership: 'which worker leads a task',
  migration: 'the state of the schema',
  postponed_transaction: 'signatures that the follower has not read yet',
  program_cursor: 'the place of the follower',
  program_walk_place: 'the place of the follower',
  service: 'the catalog of the operator',
  sign_in_nonce: 'nonces before anybody has signed in',
  token_bucket: 'rate limits, which are full again within seconds',
  webhook_key: 'the sealed key pair of the whole service',
};
