import { Keypair } from '@solana/web3.js';
import type { Part } from '../../parts.ts';
import type { Cases } from '../../surface.ts';
import type { Target } from '../../target.ts';
import { createSigner, mustRefuse, type Signer } from './held.ts';
import { isGoodForTooLong, tooOldTransactions } from './too-old.ts';

/** Transactions that grant a session something, sent after their deadline. */
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
  const { sessionId } = await owner.createSession();
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
    await cases.try(`what the api lets an owner sign for ${name}, held back`, async () =>
      isGoodForTooLong((await build()).txBase64),
    );
  }
}

async function tryPassedDeadlines(cases: Cases, signer: Signer): Promise<void> {
  const { owner, address } = signer;
  const old = tooOldTransactions(signer);
  const { sessionPda } = await owner.createSession();
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
