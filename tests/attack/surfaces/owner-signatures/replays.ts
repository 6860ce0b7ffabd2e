import { EVERYTHING, SANDBOX_RESERVE } from '@agent-wallet/chain';
import type { Part } from '../../parts.ts';
import type { Target } from '../../target.ts';
import { createSigner, mustRefuse, type Signer } from './held.ts';

/** What the owner signed before a revocation or a closing, sent afterwards within its deadline. */
export const replays: Part<Target> = {
  shows: [],
  attack: async (cases, target) => {
    for (const [name, attempt] of [
      ['a second copy of a session, after its revocation', trySecondCopy],
      ['a session that was requested beside another one', trySibling],
      ['higher limits, for the next session of the same key', tryLimits],
      ['other recipients, for the next session of the same key', tryRecipients],
      ['a revocation, for the next session of the same key', tryRevocation],
      ['a session of a vault that was closed, for the one after it', trySessionOfClosedVault],
      ['a closing of a vault, for the one after it', tryClosingOfClosedVault],
      ['a closing, after another session came and went', tryClosing],
    ] as const) {
      await cases.try(name, async () => attempt(await createSigner(target)));
    }
  },
};

/** Requests a session and signs it. */
async function add(signer: Signer) {
  const built = await signer.ask('POST', '/v1/session', signer.wanted);
  await signer.send(built.txBase64);
  const state = await signer.session(built.session_pda);
  if (state === null) throw new Error('there is no session');
  return { ...built, state };
}

/** Requests the revocation of a session and signs it. */
async function revoke(signer: Signer, pda: string): Promise<void> {
  const session = { sessionPda: pda, sessionIndex: (await signer.session(pda))?.index ?? 0n };
  const { ownerTransactions } = signer.target.fixture;
  await signer.send(await ownerTransactions.revokeSession(signer.address, session));
}

/** Lets the owner sign one more session for a key that had one, as only a false api would. */
async function addAgain(signer: Signer, sessionPubkey: string): Promise<void> {
  const { ownerTransactions } = signer.target.fixture;
  const limits = {
    sessionPubkey,
    maxPerTx: 1n,
    dailyCap: 1n,
    expiry: BigInt(Math.floor(Date.now() / 1_000)) + 3_600n,
    allowedInstructions: 1,
    recipients: [],
  };
  const { nextSessionIndex } = await signer.vault();
  await signer.send(await ownerTransactions.addSession(signer.address, limits, nextSessionIndex));
}

/** Null while there is no session at this address. */
const revived = async (signer: Signer, pda: string): Promise<string | null> =>
  (await signer.session(pda)) === null ? null : 'there is a session again';

async function trySecondCopy(signer: Signer): Promise<string | null> {
  const { txBase64, session_pda: pda } = await add(signer);
  await revoke(signer, pda);
  const executed = await mustRefuse(signer, txBase64, 'SessionIndexMismatch');
  return executed ?? revived(signer, pda);
}

async function trySibling(signer: Signer): Promise<string | null> {
  const held = await signer.ask('POST', '/v1/session', signer.wanted);
  await revoke(signer, (await add(signer)).session_pda);
  const executed = await mustRefuse(signer, held.txBase64, 'SessionIndexMismatch');
  return executed ?? revived(signer, held.session_pda);
}

/**
 * Holds back a change of a session, which is then revoked; the next session of the same key must
 * stay as it is.
 */
async function tryChange(
  signer: Signer,
  ask: (path: string) => ReturnType<Signer['ask']>,
): Promise<string | null> {
  const { session_id: id, session_pda: pda, session_pubkey: key } = await add(signer);
  const held = await ask(`/v1/session/${id}`);
  await revoke(signer, pda);
  await addAgain(signer, key);
  const before = await signer.session(pda);
  const executed = await mustRefuse(signer, held.txBase64, 'SessionMismatch');
  if (executed !== null) return executed;
  const after = await signer.session(pda);
  const isSame =
    after?.index === before?.index &&
    after?.maxPerTx === before?.maxPerTx &&
    after?.recipients.length === before?.recipients.length;
  return isSame ? null : 'the session has changed';
}

/** Takes the money out of a vault without sessions. */
async function empty(signer: Signer): Promise<void> {
  const { ownerTransactions } = signer.target.fixture;
  await signer.send(await ownerTransactions.withdraw(signer.address, EVERYTHING, null));
}

/** A closing of the vault as it is now. */
async function closing(signer: Signer): Promise<string> {
  const { ownerTransactions } = signer.target.fixture;
  const { nextSessionIndex } = await signer.vault();
  return ownerTransactions.closeVault(signer.address, SANDBOX_RESERVE, nextSessionIndex);
}

/** Closes an empty vault and creates another one, which has the same address and other indexes. */
async function replaceVault(signer: Signer): Promise<void> {
  const { ownerTransactions } = signer.target.fixture;
  await signer.send(await closing(signer));
  await signer.send(await ownerTransactions.initVault(signer.address, 0, null));
}

async function trySessionOfClosedVault(signer: Signer): Promise<string | null> {
  const held = await signer.ask('POST', '/v1/session', signer.wanted);
  await empty(signer);
  await replaceVault(signer);
  const executed = await mustRefuse(signer, held.txBase64, 'SessionIndexMismatch');
  return executed ?? revived(signer, held.session_pda);
}

async function tryClosingOfClosedVault(signer: Signer): Promise<string | null> {
  await empty(signer);
  const held = await closing(signer);
  await replaceVault(signer);
  return mustRefuse(signer, held, 'SessionIndexMismatch');
}

async function tryClosing(signer: Signer): Promise<string | null> {
  const held = await closing(signer);
  await revoke(signer, (await add(signer)).session_pda);
  await empty(signer);
  return mustRefuse(signer, held, 'SessionIndexMismatch');
}

const tryLimits = (signer: Signer) =>
  tryChange(signer, (path) => signer.ask('PATCH', path, { max_per_tx: 1_000 }));

const tryRecipients = (signer: Signer) =>
  tryChange(signer, (path) =>
    signer.ask('PUT', `${path}/recipients`, { allowed_recipients: [signer.address] }),
  );

const tryRevocation = (signer: Signer) =>
  tryChange(signer, (path) => signer.ask('POST', `${path}/revoke`));
