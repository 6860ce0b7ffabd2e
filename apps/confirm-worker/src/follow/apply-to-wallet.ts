import {
  bigintField,
  numberField,
  type ProgramEvent,
  stringField,
  stringsField,
} from '@agent-wallet/chain';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Applies an event to the rows of its wallet and session. The chain's values win over the requested
 * ones, because the owner may have signed other limits. Spends are settled elsewhere.
 */
export async function applyToWallet(
  tx: SqlTransaction,
  event: ProgramEvent,
  slot: bigint,
): Promise<void> {
  switch (event.name) {
    case 'VaultInitialized':
      return markVaultActive(tx, event, slot);
    case 'SessionAdded':
      return markSessionLive(tx, event, slot);
    case 'SessionAllowlistUpdated':
      return updateRecipients(tx, event);
    case 'SessionLimitsUpdated':
      return updateLimits(tx, event);
    case 'MaxDeployedFractionSet':
      return updateFraction(tx, event);
    case 'SessionRevoked':
      return markSessionRevoked(tx, event, slot);
    default:
      return;
  }
}

async function markVaultActive(
  tx: SqlTransaction,
  { data }: ProgramEvent,
  slot: bigint,
): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet
    set status = 'active', active_slot = ${slot},
      max_deployed_fraction_bp = ${numberField(data, 'max_deployed_fraction_bp')}
    where vault_pda = ${stringField(data, 'vault')}
  `);
}

async function markSessionLive(
  tx: SqlTransaction,
  { data }: ProgramEvent,
  slot: bigint,
): Promise<void> {
  await tx.query(sql.unsafe`
    update session
    set status = 'live', live_slot = ${slot},
      session_index = ${bigintField(data, 'index').toString()}::numeric,
      max_per_tx = ${bigintField(data, 'max_per_tx').toString()}::numeric,
      daily_cap = ${bigintField(data, 'daily_cap').toString()}::numeric,
      expiry = ${bigintField(data, 'expiry')},
      allowed_instructions = ${numberField(data, 'allowed_instructions')},
      allowed_recipients = ${sql.array([...stringsField(data, 'recipients')], 'text')}
    where session_pda = ${stringField(data, 'session')} and status = 'awaiting_owner_signature'
  `);
}

async function updateRecipients(tx: SqlTransaction, { data }: ProgramEvent): Promise<void> {
  await tx.query(sql.unsafe`
    update session
    set allowed_recipients = ${sql.array([...stringsField(data, 'recipients')], 'text')}
    where session_pda = ${stringField(data, 'session')}
  `);
}

async function updateLimits(tx: SqlTransaction, { data }: ProgramEvent): Promise<void> {
  await tx.query(sql.unsafe`
    update session
    set max_per_tx = ${bigintField(data, 'max_per_tx').toString()}::numeric,
      daily_cap = ${bigintField(data, 'daily_cap').toString()}::numeric,
      expiry = ${bigintField(data, 'expiry')},
      allowed_instructions = ${numberField(data, 'allowed_instructions')}
    where session_pda = ${stringField(data, 'session')}
  `);
}

async function updateFraction(tx: SqlTransaction, { data }: ProgramEvent): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet
    set max_deployed_fraction_bp = ${numberField(data, 'max_deployed_fraction_bp')}
    where vault_pda = ${stringField(data, 'vault')}
  `);
}

async function markSessionRevoked(
  tx: SqlTransaction,
  { data }: ProgramEvent,
  slot: bigint,
): Promise<void> {
  await tx.query(sql.unsafe`
    update session set status = 'revoked', revoked_slot = ${slot}
    where session_pda = ${stringField(data, 'session')} and status <> 'revoked'
  `);
}
