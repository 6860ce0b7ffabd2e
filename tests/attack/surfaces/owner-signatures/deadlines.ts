import { createOwnerTransactions } from '@agent-wallet/chain';
import { Keypair, Transaction } from '@solana/web3.js';
import type { Part } from '../../parts.ts';
import type { Cases } from '../../surface.ts';
import type { Target } from '../../target.ts';
import { createSigner, mustRefuse, type Signer } from './held.ts';

const MOST_SECONDS = 600;
/** The clock of the machine is the clock of the chain, to a second or two. */
const TOLERANCE_SECONDS = 5;

/** Transactions that grant something, sent after their deadline. */
export const deadlines: Part<Target> = {
  shows: ['deadline-of-a-year'],
  attack: async (cases, target) => {
    const signer = await createSigner(target);
    await tryDeadlinesOfTheApi(cases, signer);
    await tryPassedDeadlines(cases, signer);
  },
};

async function tryDeadlinesOfTheApi(cases: Cases, signer: Signer): Promise<void> {
  const { owner } = signer;
  const { sessionId } = await owner.createSession({ recipients: [] });
  const path = `/v1/session/${sessionId}`;
  for (const [name, build] of [
    ['a session', () => signer.ask('POST', '/v1/session', signer.wanted)],
    ['other limits', () => signer.ask('PATCH', path, { max_per_tx: 99 })],
    ['other recipients', () => signer.ask('PUT', `${path}/recipients`, { allowed_recipients: [] })],
    ['a resumption', () => signer.ask('POST', '/v1/wallet/pause', { paused: false })],
    [
      'another fraction',
      () => signer.ask('POST', '/v1/wallet/max-deployed-fraction', { max_deployed_fraction_bp: 1 }),
    ],
  ] as const) {
    await cases.try(`what the api lets an owner sign for ${name}, held back`, async () => {
      const now = Date.now() / 1_000;
      const left = Number(deadlineOf((await build()).txBase64)) - now;
      return left <= MOST_SECONDS + TOLERANCE_SECONDS ? null : `is good for ${left} seconds`;
    });
  }
}

/** The last argument of the program's instruction, which is the last of its transaction. */
function deadlineOf(txBase64: string): bigint {
  const { instructions } = Transaction.from(Buffer.from(txBase64, 'base64'));
  const data = instructions.at(-1)?.data ?? Buffer.alloc(8);
  return data.readBigInt64LE(data.length - 8);
}

async function tryPassedDeadlines(cases: Cases, signer: Signer): Promise<void> {
  const { owner, address, target } = signer;
  const { program, rpc } = target.fixture;
  // What the api built so long ago that it has just become too old.
  const builtMs = Date.now() - (MOST_SECONDS + TOLERANCE_SECONDS) * 1_000;
  const blockhash = () => rpc.latestBlockhash();
  const old = createOwnerTransactions(program, blockhash, () => builtMs);
  const { sessionPda } = await owner.createSession({ recipients: [] });
  const state = await signer.session(sessionPda);
  if (state === null) throw new Error('there is no session');
  const session = { sessionPda, sessionIndex: state.index };
  const limits = {
    maxPerTx: 99n,
    dailyCap: 99n,
    expiry: BigInt(Math.floor(Date.now() / 1_000)) + 3_600n,
    allowedInstructions: 7,
  };
  const sessionPubkey = Keypair.generate().publicKey.toBase58();
  const added = { ...limits, sessionPubkey, recipients: [] };
  const next = (await signer.vault()).nextSessionIndex;
  for (const [name, built] of [
    ['add_session', old.addSession(address, added, next)],
    ['update_session_limits', old.updateLimits(address, session, limits)],
    ['update_session_allowlist', old.updateAllowlist(address, session, [address])],
    ['set_max_deployed_fraction', old.setMaxDeployedFraction(address, 10_000, null)],
    ['set_paused with false', old.setPaused(address, false)],
    ['init_vault', old.initVault(address, 10_000, null)],
  ] as const) {
    await cases.try(`${name} after its deadline`, async () =>
      mustRefuse(signer, await built, 'DeadlinePassed'),
    );
  }
}
