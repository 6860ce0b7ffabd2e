import {
  EVERYTHING,
  ownerDeadline,
  readHoldings,
  SANDBOX_RESERVE,
  stepInstructions,
} from '@agent-wallet/chain';
import { PublicKey, Transaction } from '@solana/web3.js';
import type { Part } from '../../parts.ts';
import type { Cases } from '../../surface.ts';
import type { Target } from '../../target.ts';
import { createSigner, mustRefuse, type Signer } from './held.ts';
import { isGoodForTooLong, tooOldMs, tooOldTransactions } from './too-old.ts';

const DEPOSIT = 1_000;

/** What the owner signed about the yield reserve, sent after its deadline. */
export const reserve: Part<Target> = {
  shows: ['deposit-without-deadline'],
  attack: async (cases, target) => {
    const signer = await createSigner(target, { max_deployed_fraction_bp: 8_000 });
    const move = (verb: 'deposit' | 'withdraw', amount: number | 'all') =>
      signer.ask('POST', `/v1/wallet/yield/${verb}`, { amount });
    await signer.send((await move('deposit', DEPOSIT)).txBase64);
    for (const [name, build] of [
      ['a deposit', () => move('deposit', DEPOSIT)],
      ['a withdrawal', () => move('withdraw', 'all')],
    ] as const) {
      await cases.try(`what the api lets an owner sign for ${name}, held back`, async () =>
        isGoodForTooLong((await build()).txBase64),
      );
    }
    await tryPassedDeadlines(cases, signer);
  },
};

async function tryPassedDeadlines(cases: Cases, signer: Signer): Promise<void> {
  const { address } = signer;
  const old = tooOldTransactions(signer);
  const before = await signer.vault();
  const writeOff = { amount: EVERYTHING, collateralAmount: 0n };
  for (const [name, build] of [
    ['a deposit', () => old.yieldDeposit(address, SANDBOX_RESERVE, BigInt(DEPOSIT))],
    ['a write-off', () => old.yieldWithdraw(address, SANDBOX_RESERVE, writeOff)],
    ['a sweep of the collateral', () => sweepOfCollateral(signer)],
  ] as const) {
    await cases.try(`${name} after its deadline`, async () => {
      const executed = await mustRefuse(signer, await build(), 'DeadlinePassed');
      if (executed !== null) return executed;
      const { deployedAmount } = await signer.vault();
      return deployedAmount === before.deployedAmount ? null : 'the deployed amount has changed';
    });
  }
}

/** The step of leaving that takes the collateral in kind, as the owner signed it too long ago. */
async function sweepOfCollateral({ address, target }: Signer): Promise<string> {
  const { program, rpc } = target.fixture;
  const holdings = await readHoldings(rpc, { program, reserve: SANDBOX_RESERVE }, address, 0n);
  const account = holdings?.tokenAccounts.find(({ role }) => role === 'collateral');
  if (holdings === null || account === undefined) throw new Error('there is no collateral');
  const step = { kind: 'sweep', account, close: true } as const;
  const deadline = ownerDeadline(tooOldMs());
  const transaction = new Transaction({ feePayer: new PublicKey(address) });
  transaction.add(...stepInstructions(program, SANDBOX_RESERVE, holdings, step, deadline));
  transaction.recentBlockhash = (await rpc.latestBlockhash()).blockhash;
  return transaction.serialize({ requireAllSignatures: false }).toString('base64');
}
