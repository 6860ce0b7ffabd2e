/** Reads listed transactions from one node, several at a time. */

import { AppError } from '@agent-wallet/errors';

import { isRefusedForNow } from '../endpoints/endpoint-faults.ts';
import type { ChainTransaction, SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { ProgramTransaction } from './program-feed.ts';
import type { WalletProgram } from './program.ts';
import type { FeedRpc } from './walk-program.ts';

const CONCURRENT_READS = 16;

export type ReadListed = (
  rpc: Pick<FeedRpc, 'transaction'>,
  records: readonly SignatureRecord[],
  /** A transaction that every node with a history has; null when the reader knows none. */
  landed: string | null,
) => Promise<ReadonlyMap<string, ProgramTransaction>>;

/** Asks each endpoint for a transaction; null when none returns it. */
export type ReadAnywhere = (signature: string) => Promise<ChainTransaction | null>;

/**
 * Creates a reader. A transaction that it cannot read is marked as unreadable if the node can then
 * still return another one. Otherwise the node is at fault, or refuses for now: the result lacks
 * what was not read, and the first fault is thrown if nothing was.
 */
export function createReadListed(
  program: Pick<WalletProgram, 'eventsOf'>,
  readAnywhere: ReadAnywhere = async () => null,
): ReadListed {
  let lastRead: string | null = null;

  async function readOne(
    rpc: Pick<FeedRpc, 'transaction'>,
    { signature, slot }: SignatureRecord,
  ): Promise<ProgramTransaction> {
    const withEvents = (transaction: ChainTransaction): ProgramTransaction => {
      return { signature, slot, err: transaction.err, events: program.eventsOf(transaction) };
    };
    try {
      const transaction = await rpc.transaction(signature, 'confirmed');
      if (transaction !== null) return withEvents(transaction);
      throw new AppError('RPC_UNAVAILABLE', { reason: 'the node lists it and does not have it' });
    } catch (error) {
      const other = isRefusedForNow(error) ? null : await readAnywhere(signature);
      if (other === null) throw error;
      return withEvents(other);
    }
  }

  return async (rpc, records, landed) => {
    const read = new Map<string, ProgramTransaction>();
    const failed = new Map<string, { readonly slot: bigint; readonly error: unknown }>();
    const refusals: unknown[] = [];
    // A failed transaction has no events.
    const silent = records.filter(({ err }) => err !== null);
    const queue = records.filter(({ err }) => err === null).values();
    const readOn = async (): Promise<void> => {
      for (const record of queue) {
        const { signature, slot } = record;
        try {
          read.set(signature, await readOne(rpc, record));
          lastRead = signature;
        } catch (error) {
          if (isRefusedForNow(error)) refusals.push(error);
          else failed.set(signature, { slot, error });
        }
        const isDown = read.size === 0 && failed.size >= CONCURRENT_READS;
        if (isDown || refusals.length > 0) return;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_READS }, readOn));
    const faults = [...[...failed.values()].map(({ error }) => error), ...refusals];
    const control = lastRead ?? landed ?? silent[0]?.signature ?? null;
    if (failed.size > 0 && !(await isUp(rpc, control))) failed.clear();
    if (read.size + failed.size === 0) for (const fault of faults) throw fault;
    for (const { signature, slot, err } of silent) {
      read.set(signature, { signature, slot, err, events: [] });
    }
    for (const [signature, { slot, error }] of failed) {
      const unreadable = error instanceof Error ? error.message : String(error);
      read.set(signature, { signature, slot, err: null, events: [], unreadable });
    }
    return read;
  };
}

/** Whether the node returns a transaction that is known to exist. */
async function isUp(rpc: Pick<FeedRpc, 'transaction'>, control: string | null): Promise<boolean> {
  if (control === null) return false;
  try {
    return (await rpc.transaction(control, 'confirmed')) !== null;
  } catch {
    return false;
  }
}
