import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** The newest row of a wallet's audit chain. `seq` is 0 and the hash all zeros while it is empty. */
export type AuditHead = {
  readonly walletId: string;
  readonly seq: bigint;
  /** 64 hexadecimal digits. */
  readonly hash: string;
};

/** A head that its chain no longer contains, and why. */
export type LostHead = { readonly head: AuditHead; readonly why: string };

const PAGE_WALLETS = 1_000;
const MAX_PAGES = 1_000_000;

const headRow = z.object({ walletId: z.string(), seq: z.bigint(), hash: z.string() });

/** Reads the heads of all audit chains in the order of the wallets' ids, in pages. */
export async function* listHeads(db: Database): AsyncGenerator<AuditHead, void, undefined> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const heads = await db.any(sql.type(headRow)`
      select wallet_id as "walletId", audit_seq as seq, encode(audit_head, 'hex') as hash
      from wallet where wallet_id > ${after}::uuid
      order by wallet_id
      limit ${PAGE_WALLETS}
    `);
    yield* heads;
    after = heads.at(-1)?.walletId ?? after;
    if (heads.length < PAGE_WALLETS) return;
  }
}

const foundHead = z.object({
  walletId: z.string(),
  /** Null when there is no such wallet. */
  newest: z.bigint().nullable(),
  /** Of the row at the head's place; null when there is none. */
  hash: z.string().nullable(),
});

/**
 * Returns the first of the heads that its chain no longer contains; null when all are there. A
 * chain whose hashes are verified and that contains a head has not changed up to it.
 */
export async function findLostHead(
  db: Database,
  heads: readonly AuditHead[],
): Promise<LostHead | null> {
  for (let start = 0; start < heads.length; start += PAGE_WALLETS) {
    const page = heads.slice(start, start + PAGE_WALLETS);
    const places = page.map(({ walletId, seq }) => [walletId, seq] as const);
    const found = await db.any(sql.type(foundHead)`
      select kept.wallet_id as "walletId", wallet.audit_seq as newest,
        encode(audit.hash, 'hex') as hash
      from ${sql.unnest(places, ['uuid', 'int8'])} as kept (wallet_id, seq)
      left join wallet on wallet.wallet_id = kept.wallet_id
      left join audit on audit.wallet_id = kept.wallet_id and audit.seq = kept.seq
    `);
    const byWallet = new Map(found.map((row) => [row.walletId, row]));
    for (const head of page) {
      const why = whyLost(head, byWallet.get(head.walletId));
      if (why !== null) return { head, why };
    }
  }
  return null;
}

function whyLost(head: AuditHead, found: z.output<typeof foundHead> | undefined): string | null {
  if (found === undefined || found.newest === null) return 'the wallet is gone';
  // Rows behind the end of the log are not verified, so they prove nothing.
  if (found.newest < head.seq) return `the log ends at row ${found.newest}`;
  if (head.seq === 0n || found.hash === head.hash) return null;
  if (found.hash === null) return 'the row is missing';
  return `the hash is ${found.hash}, and was ${head.hash}`;
}
