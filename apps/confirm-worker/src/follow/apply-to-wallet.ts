import {
  bigintField,
  numberField,
  type ProgramEvent,
  stringField,
  stringsField,
} from '@agent-wallet/chain';
import type { SqlTransaction } from '@agent-wallet/db';
import {
  recordMaxDeployedFraction,
  recordSessionAdded,
  recordSessionLimits,
  recordSessionRecipients,
  recordSessionRevoked,
  recordVaultClosed,
  recordVaultInitialized,
} from '@agent-wallet/wallet';

/** The events that change a wallet or a session. */
export const WALLET_EVENTS = [
  'VaultInitialized',
  'VaultClosed',
  'MaxDeployedFractionSet',
  'SessionAdded',
  'SessionAllowlistUpdated',
  'SessionLimitsUpdated',
  'SessionRevoked',
] as const;

/**
 * Applies an event to the rows of its wallet and session. The chain's values win over the requested
 * ones, because the owner may have signed other limits. Spends are settled elsewhere.
 */
export async function applyToWallet(
  tx: SqlTransaction,
  { name, data }: Pick<ProgramEvent, 'name' | 'data'>,
  slot: bigint,
): Promise<void> {
  switch (name) {
    case 'VaultInitialized':
      return recordVaultInitialized(tx, { ...readFraction(data), slot });
    case 'VaultClosed':
      return recordVaultClosed(tx, { vaultPda: stringField(data, 'vault'), slot });
    case 'MaxDeployedFractionSet':
      return recordMaxDeployedFraction(tx, readFraction(data));
    case 'SessionAdded':
      return recordSessionAdded(tx, {
        ...readLimits(data),
        ...readRecipients(data),
        index: bigintField(data, 'index'),
        slot,
      });
    case 'SessionAllowlistUpdated':
      return recordSessionRecipients(tx, readRecipients(data));
    case 'SessionLimitsUpdated':
      return recordSessionLimits(tx, readLimits(data));
    case 'SessionRevoked':
      return recordSessionRevoked(tx, { sessionPda: stringField(data, 'session'), slot });
    default:
      return;
  }
}

type Data = ProgramEvent['data'];

const readFraction = (data: Data) => ({
  vaultPda: stringField(data, 'vault'),
  maxDeployedFractionBp: numberField(data, 'max_deployed_fraction_bp'),
});

const readRecipients = (data: Data) => ({
  sessionPda: stringField(data, 'session'),
  recipients: stringsField(data, 'recipients'),
});

const readLimits = (data: Data) => ({
  sessionPda: stringField(data, 'session'),
  maxPerTx: bigintField(data, 'max_per_tx'),
  dailyCap: bigintField(data, 'daily_cap'),
  expiry: bigintField(data, 'expiry'),
  allowedInstructions: numberField(data, 'allowed_instructions'),
});
