import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { facilitatedBasis, PROGRAM, SESSION_KEY } from '../../fixtures/facilitated-basis.ts';
import type { AttemptBasis, Preparation } from './preparation.ts';
import { createSignForFacilitator, type FacilitatorDeps } from './sign-for-facilitator.ts';

const NO_SIGNATURE = new Uint8Array(64);

type Signed = {
  readonly preparation: Preparation;
  readonly opened: number;
  readonly simulated: readonly Uint8Array[];
};

async function sign(basis: AttemptBasis, change: Partial<FacilitatorDeps> = {}): Promise<Signed> {
  const simulated: Uint8Array[] = [];
  let opened = 0;
  const signFor = createSignForFacilitator({
    program: PROGRAM,
    keystore: {
      load: async () => {
        opened += 1;
        return SESSION_KEY;
      },
    },
    priorityFees: { priceFor: () => 7n },
    simulatePayment: async (_lane, wire) => {
      simulated.push(wire);
      return null;
    },
    isOurFeePayer: () => false,
    computeUnitLimit: undefined,
    ...change,
  });
  return { preparation: await signFor(basis), opened, simulated };
}

function decode({ preparation }: Signed): {
  readonly transaction: VersionedTransaction;
  readonly units: number;
  readonly price: bigint;
} {
  if (preparation.kind !== 'signed') throw new Error('it was refused');
  const transaction = VersionedTransaction.deserialize(preparation.signed.wire);
  const [limit, price] = transaction.message.compiledInstructions.map(({ data }) => ({
    programId: ComputeBudgetProgram.programId,
    keys: [],
    data: Buffer.from(data),
  }));
  if (limit === undefined || price === undefined) throw new Error('there is no compute budget');
  return {
    transaction,
    units: ComputeBudgetInstruction.decodeSetComputeUnitLimit(limit).units,
    price: BigInt(ComputeBudgetInstruction.decodeSetComputeUnitPrice(price).microLamports),
  };
}

test('a payment is signed by the session key alone, after it was simulated unsigned', async () => {
  const basis = facilitatedBasis();
  const signed = await sign(basis);
  const { transaction, price, units } = decode(signed);
  expect(transaction.signatures[0]).toEqual(NO_SIGNATURE);
  expect(transaction.signatures[1]).not.toEqual(NO_SIGNATURE);
  const [simulated] = signed.simulated.map((wire) => VersionedTransaction.deserialize(wire));
  expect(simulated?.signatures).toEqual([NO_SIGNATURE, NO_SIGNATURE]);
  expect(simulated?.message.serialize()).toEqual(transaction.message.serialize());
  expect([price, units < 400_000]).toEqual([7n, true]);
  expect(signed.preparation).toMatchObject({
    signed: { signature: null, feePayer: basis.spend.facilitatorFeePayer, feeLamports: 0n },
  });
});

test('price and limit stay within what facilitators carry', async () => {
  const basis = facilitatedBasis({ spend: { facilitatorMemo: 'm'.repeat(256) } });
  const dear = { priceFor: () => 1_000_000n };
  expect(decode(await sign(basis, { priorityFees: dear })).price).toBe(50_000n);
  const { units } = decode(await sign(basis, { computeUnitLimit: 400_000 }));
  expect(units).toBe(399_999);
});

test('what cannot succeed is not signed, and no key is opened', async () => {
  const refusal = { code: 'DailyCapExceeded', detail: 'its words' };
  const { preparation, opened } = await sign(facilitatedBasis(), {
    simulatePayment: async () => refusal,
  });
  expect(preparation).toEqual({ kind: 'refused', ...refusal });
  expect(opened).toBe(0);
});

const { spend, lane } = facilitatedBasis();
const payee = spend.recipient ?? '';
test.each([
  ['no address', 'x402'],
  ['nothing', null],
  ['the session key', lane.sessionPubkey],
  ['the vault', lane.vaultPda],
  ['the token account of the vault', lane.vaultUsdcAta],
  ['the session account', lane.sessionPda],
  ['the payee', payee],
  ['the token account of the payee', PROGRAM.addresses.usdcAta(payee)],
  ['the mint', PROGRAM.usdcMint],
  ['our program', PROGRAM.programId],
  ['its event authority', PROGRAM.addresses.eventAuthority],
])('a fee payer that is %s is refused before any call', async (_case, feePayer) => {
  const basis = facilitatedBasis({ spend: { facilitatorFeePayer: feePayer } });
  const { preparation, opened, simulated } = await sign(basis);
  expect(preparation).toMatchObject({ kind: 'refused', code: 'UNSUPPORTED_BY_SERVICE' });
  expect([opened, simulated.length]).toEqual([0, 0]);
});

test('a fee payer that is ours is refused', async () => {
  const basis = facilitatedBasis();
  const isOurFeePayer = (address: string): boolean => address === basis.spend.facilitatorFeePayer;
  expect((await sign(basis, { isOurFeePayer })).preparation).toMatchObject({
    kind: 'refused',
    code: 'UNSUPPORTED_BY_SERVICE',
  });
});
