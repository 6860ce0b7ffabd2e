import type { LoginOwner } from '@agent-wallet/local-system/postgres/database-logins.ts';

/** Names between spaces, or `*` for all columns. */
type Columns = string;

/** The rights of one role on one table. */
export type Need = {
  readonly select?: Columns;
  readonly insert?: Columns;
  readonly update?: Columns;
  readonly delete?: true;
};

const SCHEMA: Need = { select: 'name checksum' };
const SHUT = 'shut_at_height shut_reason';
const DEPLOYMENT: Need = { select: '*', insert: 'genesis_hash program_id usdc_mint' };
const AUDIT_HEAD = 'audit_seq audit_head';
const REFUSAL = 'status code detail settled_at';
const FREED_KEY = 'idempotency_key request_digest';

/** Rights on the queue's tables of a process that only sends nudges. */
const NUDGES: Readonly<Record<string, Need>> = {
  'bullmq.migration': { select: '*' },
  'bullmq.meta': { select: '*', insert: '*', update: '*' },
  'bullmq.job': { select: '*', insert: '*' },
  'bullmq.dedup': { select: '*', insert: '*', update: '*' },
  'bullmq.dedup_next': { select: '*', insert: '*', update: '*' },
  'bullmq.event': { select: '*', insert: '*', delete: true },
};

/**
 * The rights that each role needs, deliberately a second list beside `migrations/roles.sql`: every
 * other right must be denied.
 */
const NEEDS: Readonly<Record<LoginOwner, Readonly<Record<string, Need>>>> = {
  api: {
    ...NUDGES,
    migration: SCHEMA,
    deployment: DEPLOYMENT,
    sign_in_nonce: { select: '*', insert: 'nonce expires_at', update: 'used_at', delete: true },
    owner_session: {
      select: '*',
      insert: 'owner expires_at',
      update: 'revoked_at',
      delete: true,
    },
    wallet: {
      select: '*',
      insert: 'owner vault_pda vault_usdc_ata max_deployed_fraction_bp',
      update: `max_deployed_fraction_bp status active_slot deployed_seen ${AUDIT_HEAD}`,
    },
    wallet_policy: { select: '*', insert: '*' },
    session_key: { select: 'pubkey session_id created_at', update: 'session_id' },
    session: {
      select: '*',
      insert: `
        session_id wallet_id session_pubkey session_pda max_per_tx daily_cap expiry
        allowed_recipients allowed_instructions idempotency_key request_digest`,
    },
    api_key: {
      select: '*',
      insert: 'key_hash session_id wallet_id key_prefix',
      update: 'revoked_at',
    },
    lane: { insert: 'session_id wallet_id' },
    spend: {
      select: '*',
      insert: `
        spend_id wallet_id session_id kind amount reserved recipient url broadcaster
        facilitator_fee_payer facilitator_memo ${FREED_KEY} not_after`,
      update: `${REFUSAL} ${FREED_KEY} released_at signature_hint`,
    },
    attempt: { select: 'spend_id attempt wire last_valid_block_height' },
    attempt_watch: { select: 'spend_id', update: 'look_at' },
    audit: { select: '*', insert: '*' },
    program_event: { select: '*', update: 'reconcile_at' },
    service: { select: '*' },
    delivery: {
      select: '*',
      insert: `
        spend_id wallet_id session_id slug proof method url headers body requirement resource`,
      update: `
        state tries log first_try_at try_at lease_until refused_why upstream_status
        upstream_headers upstream_body upstream_body_sha256 delivered_at`,
    },
    webhook_key: { select: 'public_key' },
    webhook_endpoint: {
      select: '*',
      insert: `
        endpoint_id wallet_id place url events low_balance_below audit_seq ${FREED_KEY}`,
      update: `
        url events low_balance_below low_since enabled disabled_why failing_since audit_seq
        test_at`,
      delete: true,
    },
    webhook_secret: {
      select: 'endpoint_id ends_at',
      insert: 'secret_id endpoint_id sealed',
      update: 'ends_at',
      delete: true,
    },
    webhook_delivery: { select: '*', insert: 'endpoint_id wallet_id event_id type body' },
    token_bucket: { select: '*', insert: '*', update: '*', delete: true },
    api_copy: { select: '*', insert: '*', update: '*', delete: true },
  },
  'tx-worker': {
    ...NUDGES,
    migration: SCHEMA,
    'bullmq.job': { select: '*', insert: '*', update: '*', delete: true },
    'bullmq.job_dependency': { select: '*', update: '*', delete: true },
    'bullmq.dedup': { select: '*', insert: '*', update: '*', delete: true },
    'bullmq.dedup_next': { select: '*', insert: '*', update: '*', delete: true },
    'bullmq.rate_limit': { select: '*' },
    'bullmq.scheduler': { select: '*' },
    deployment: { ...DEPLOYMENT, update: `${SHUT} keystore_refused_at` },
    session_key: {
      select: '*',
      insert: 'pubkey sealed key_version',
      update: 'sealed key_version',
    },
    data_key: { select: '*', insert: 'version wrapped wrapped_by' },
    leadership: { select: '*', insert: '*', update: '*' },
    fee_payer: { select: '*', insert: '*', update: 'lamports floor_lamports seen_at' },
    wallet: { select: '*', update: AUDIT_HEAD },
    wallet_policy: { select: '*' },
    session: { select: '*', update: 'next_seq fee_day fee_lamports' },
    lane: { select: '*', update: 'fence holder lease_until' },
    spend: {
      select: '*',
      update: `${REFUSAL} ${FREED_KEY} tx_signature attempt broadcasts spend_seq claimed_at faults`,
    },
    attempt: {
      select: 'spend_id attempt signature wire',
      insert: `
        spend_id attempt wallet_id session_id signature wire blockhash last_valid_block_height
        blockhash_slot session_index fee_payer spend_seq`,
    },
    attempt_watch: {
      select: 'spend_id attempt last_broadcast_at',
      insert: 'spend_id attempt',
      update: 'look_at last_broadcast_at',
    },
    audit: { insert: '*' },
    program_event: { select: 'spend_id session_pda' },
  },
  'confirm-worker': {
    ...NUDGES,
    migration: SCHEMA,
    leadership: { select: '*', insert: '*', update: '*' },
    deployment: { ...DEPLOYMENT, update: `${SHUT} identity` },
    wallet: {
      select: '*',
      update: `
        status active_slot closed_slot max_deployed_fraction_bp last_settled_slot ${AUDIT_HEAD}`,
    },
    session: {
      select: '*',
      update: `
        status live_slot revoked_slot session_index max_per_tx daily_cap expiry allowed_recipients
        allowed_instructions next_seq`,
    },
    spend: {
      select: '*',
      update: `
        ${REFUSAL} tx_signature landed_slot landed_error broadcasts finalized_at final_look_at
        event_joined_at`,
    },
    attempt: { select: '*', update: 'state signature settled_slot' },
    attempt_watch: {
      select: '*',
      insert: 'spend_id attempt look_at',
      update: 'watch_until look_at last_broadcast_at',
      delete: true,
    },
    audit: { select: '*', insert: '*' },
    program_event: { select: '*', insert: '*', update: 'reconcile_at' },
    program_cursor: { select: '*', insert: 'slot', update: 'slot updated_at' },
    program_walk_place: {
      select: '*',
      insert: 'before_signature next_signature slot',
      delete: true,
    },
    postponed_transaction: {
      select: '*',
      insert: 'signature slot reason look_at',
      update: 'reason tries look_at skipped_at',
      delete: true,
    },
    unexplained: { select: '*', insert: 'kind subject wallet_id spend_id signature slot detail' },
    webhook_key: { select: '*', insert: 'public_key sealed_private_key' },
    webhook_endpoint: {
      select: '*',
      update: 'audit_seq low_since enabled disabled_why failing_since',
    },
    webhook_secret: { select: '*' },
    webhook_delivery: {
      select: '*',
      insert: 'endpoint_id wallet_id event_id type session_id body',
      update: 'state tries try_at lease_until last_status last_fault ended_at',
      delete: true,
    },
  },
  operator: {
    ...NUDGES,
    migration: SCHEMA,
    deployment: { select: '*', update: `${SHUT} drained_at` },
    spend: {
      select: `
        spend_id accepted_no wallet_id session_id kind status attempt broadcasts broadcaster faults
        tx_signature landed_slot created_at claimed_at settled_at finalized_at final_look_at
        released_at`,
      update: 'final_look_at',
    },
    lane: { select: 'session_id wallet_id fence holder lease_until' },
    attempt: { select: 'spend_id attempt signature fee_payer last_valid_block_height stored_at' },
    attempt_watch: { select: 'spend_id attempt look_at watch_until', update: 'look_at' },
    delivery: { select: 'spend_id state' },
    fee_payer: { select: '*' },
    service: {
      select: '*',
      insert: 'slug name base_url enabled pay_to max_price method proof',
      update: 'enabled',
      delete: true,
    },
  },
  auditor: {
    migration: SCHEMA,
    leadership: { select: '*' },
    deployment: { select: '*' },
    wallet: { select: '*' },
    session: { select: 'session_id session_pda session_index' },
    spend: { select: '*' },
    audit: { select: '*' },
    program_event: { select: '*' },
    program_cursor: { select: '*' },
    unexplained: { select: '*' },
  },
};

/** Returns the rights of a role on a table. */
export const needOf = (who: LoginOwner, table: string): Need => NEEDS[who][table] ?? {};
