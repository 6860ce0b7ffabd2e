import { verifyAudit } from '@agent-wallet/audit';
import type { Rpc, WalletProgram } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { compareBalance, type Sums } from './compare-balance.ts';
import { compareEvents } from './compare-events.ts';
import { compareLog } from './compare-log.ts';
import { findUnlogged } from './find-unlogged.ts';
import { createReadHistory } from './read-history.ts';
import type { Wallet } from '@agent-wallet/wallet';

export type VerifyDeps = {
  readonly db: Database;
  readonly program: WalletProgram;
  /** Null to verify without the chain. */
  readonly rpc: Pick<Rpc, 'accounts' | 'signaturesFor' | 'transaction'> | null;
};

/** The compared numbers, or the first difference. */
export type WalletVerification =
  | { readonly kind: 'differs'; readonly what: string }
  | {
      readonly kind: 'equal';
      readonly rows: number;
      /** Null when the chain was not read. */
      readonly events: number | null;
      readonly notFollowed: number;
      /** Null when the balance was not compared; `note` then gives the reason. */
      readonly sums: Sums | null;
      readonly note: string | null;
    };

const differs = (what: string): WalletVerification => ({ kind: 'differs', what });

/** Verifies a wallet's hash chain, compares its log with spends and events, then the chain. */
export async function verifyWallet(deps: VerifyDeps, wallet: Wallet): Promise<WalletVerification> {
  const { db, program, rpc } = deps;
  const place = misplaced(program, wallet);
  if (place !== null) return differs(place);
  const chain = await verifyAudit(db, wallet.walletId);
  if (chain.kind === 'broken') return differs(`log row ${chain.seq}: ${chain.why}`);
  const log = await compareLog(db, wallet);
  if (log.difference !== null) return differs(log.difference);
  const unlogged = await findUnlogged(db, wallet);
  if (unlogged !== null) return differs(unlogged);
  if (rpc === null) {
    const note = 'the chain was not compared, because RPC_URL is not set';
    return { kind: 'equal', ...log, events: null, sums: null, note };
  }
  const readHistory = createReadHistory(rpc, program);
  const events = await compareEvents(db, readHistory, wallet);
  if (events.difference !== null) return differs(events.difference);
  const balance = await compareBalance(rpc, readHistory, program, wallet);
  const counted = {
    kind: 'equal',
    rows: log.rows,
    events: events.events,
    notFollowed: Math.max(log.notFollowed, events.notFollowed),
  } as const;
  if (balance.kind === 'not_comparable') return { ...counted, sums: null, note: balance.why };
  if (balance.difference !== null) return differs(balance.difference);
  return { ...counted, sums: balance.sums, note: null };
}

/** Vault and token account are derived from the owner, so the row must hold exactly these. */
function misplaced({ addresses }: WalletProgram, wallet: Wallet): string | null {
  const vault = addresses.vaultPda(wallet.owner);
  if (vault !== wallet.vaultPda) return `its vault is ${wallet.vaultPda}, the owner's is ${vault}`;
  const account = addresses.usdcAta(vault);
  if (account === wallet.vaultUsdcAta) return null;
  return `its token account is ${wallet.vaultUsdcAta}, the vault's is ${account}`;
}
