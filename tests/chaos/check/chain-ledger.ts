import { spendIdOfEvent } from '@agent-wallet/chain';
import type { LaneFixture } from '../../support/system/lane-fixture.ts';

const SPEND_EVENT = 'UsdcTransferred';
const PAGE_SIZE = 1_000;
const MAX_PAGES = 1_000;
const CONCURRENT_READS = 16;

/** An event of the program about a payment. */
export type Landing = {
  readonly spendId: string;
  readonly signature: string;
  readonly amount: bigint;
};

type ChainView = Pick<LaneFixture, 'rpc' | 'program'>;

/** Reads all landings from the chain itself. */
export async function readLandings(fixture: ChainView): Promise<readonly Landing[]> {
  const signatures = await listSucceeded(fixture);
  const landings: Landing[] = [];
  for (let first = 0; first < signatures.length; first += CONCURRENT_READS) {
    const batch = signatures.slice(first, first + CONCURRENT_READS);
    const found = await Promise.all(batch.map((signature) => landingsIn(fixture, signature)));
    landings.push(...found.flat());
  }
  return landings;
}

async function listSucceeded({ rpc, program }: ChainView): Promise<readonly string[]> {
  const signatures = new Set<string>();
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(program.programId, {
      limit: PAGE_SIZE,
      commitment: 'confirmed',
      ...(before === undefined ? {} : { before }),
    });
    for (const { signature, err } of records) if (err === null) signatures.add(signature);
    before = records.at(-1)?.signature;
    if (records.length < PAGE_SIZE) return [...signatures];
  }
  throw new RangeError('the history of the program has too many pages');
}

async function landingsIn(
  { rpc, program }: ChainView,
  signature: string,
): Promise<readonly Landing[]> {
  const transaction = await rpc.transaction(signature, 'confirmed');
  if (transaction === null) throw new Error(`the chain lists ${signature} but does not return it`);
  return program
    .eventsOf(transaction)
    .filter(({ name }) => name === SPEND_EVENT)
    .flatMap((event) => {
      const { amount } = event.data;
      const spendId = spendIdOfEvent(event);
      if (spendId === null) return [];
      if (typeof amount !== 'bigint') throw new TypeError('an amount is a bigint');
      return [{ spendId, signature, amount }];
    });
}
