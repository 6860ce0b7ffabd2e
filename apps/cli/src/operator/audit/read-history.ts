import type { ChainTransaction, ProgramEvent, Rpc, WalletProgram } from '@agent-wallet/chain';

const PAGE = 1_000;
const MAX_PAGES = 10_000;
const CONCURRENT_READS = 8;

/** A successful transaction in the history of an address. */
export type HistoryEntry = {
  readonly signature: string;
  readonly slot: bigint;
  readonly events: readonly ProgramEvent[];
  readonly tokenChanges: ChainTransaction['tokenChanges'];
};

/** Reads an address's whole history, oldest first. Shared transactions are read once. */
export type ReadHistory = (address: string) => Promise<readonly HistoryEntry[]>;

type HistoryRpc = Pick<Rpc, 'signaturesFor' | 'transaction'>;

/** Throws RPC_UNAVAILABLE, or an Error when the node lists a transaction but does not show it. */
export function createReadHistory(
  rpc: HistoryRpc,
  program: Pick<WalletProgram, 'eventsOf'>,
): ReadHistory {
  const known = new Map<string, HistoryEntry>();

  async function load(signature: string, slot: bigint): Promise<HistoryEntry> {
    const before = known.get(signature);
    if (before !== undefined) return before;
    const transaction = await rpc.transaction(signature, 'confirmed');
    if (transaction === null) throw new Error(`the node lists ${signature} and does not show it`);
    const { tokenChanges } = transaction;
    const entry = { signature, slot, events: program.eventsOf(transaction), tokenChanges };
    known.set(signature, entry);
    return entry;
  }

  return async (address) => {
    const listed = await listSuccessful(rpc, address);
    const entries: HistoryEntry[] = [];
    for (let first = 0; first < listed.length; first += CONCURRENT_READS) {
      const batch = listed.slice(first, first + CONCURRENT_READS);
      entries.push(...(await Promise.all(batch.map((one) => load(one.signature, one.slot)))));
    }
    return entries;
  };
}

async function listSuccessful(
  rpc: HistoryRpc,
  address: string,
): Promise<readonly { readonly signature: string; readonly slot: bigint }[]> {
  const listed: { readonly signature: string; readonly slot: bigint }[] = [];
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(address, {
      limit: PAGE,
      commitment: 'confirmed',
      ...(before === undefined ? {} : { before }),
    });
    listed.push(...records.filter(({ err }) => err === null));
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE) return listed.toReversed();
    before = last.signature;
  }
  throw new RangeError(`more than ${MAX_PAGES * PAGE} transactions of ${address}`);
}

/** Returns the newest signature of an address; null without one. */
export async function newestSignature(rpc: HistoryRpc, address: string): Promise<string | null> {
  const [newest] = await rpc.signaturesFor(address, { limit: 1, commitment: 'confirmed' });
  return newest?.signature ?? null;
}
