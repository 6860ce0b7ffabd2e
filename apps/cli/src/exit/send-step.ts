import { setTimeout as delay } from 'node:timers/promises';
import { failureOfSimulation, type Rpc, type WalletProgram } from '@agent-wallet/chain';
import { type Keypair, Transaction, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';

/**
 * `again`: it has not changed anything and may pass when it is planned and signed again. `unknown`:
 * it was sent, and the user did not want to wait.
 */
export type StepOutcome =
  | { readonly kind: 'confirmed'; readonly slot: bigint; readonly signature: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'again' }
  | { readonly kind: 'unknown'; readonly signature: string };

type Signer = { readonly rpc: Rpc; readonly program: WalletProgram; readonly keypair: Keypair };

const POLL_MS = 400;
const LOGS_TOLD = 2;

/**
 * Signs the instructions as one chain transaction that the owner pays for, simulates it, sends it,
 * and waits until it is confirmed or can no longer land. Throws RPC_UNAVAILABLE.
 */
export async function sendStep(
  { rpc, program, keypair }: Signer,
  instructions: readonly TransactionInstruction[],
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { blockhash, lastValidBlockHeight, slot } = await rpc.latestBlockhash();
  const transaction = new Transaction({
    feePayer: keypair.publicKey,
    blockhash,
    lastValidBlockHeight: Number(lastValidBlockHeight),
  }).add(...instructions);
  transaction.sign(keypair);
  const wire = transaction.serialize();
  const simulation = await rpc.simulate(wire, { minContextSlot: slot });
  if (simulation.err === 'BlockhashNotFound') return { kind: 'again' };
  if (simulation.err !== null) {
    const failure = failureOfSimulation(program, wire, simulation);
    const told = [JSON.stringify(simulation.err), ...simulation.logs.slice(-LOGS_TOLD)];
    return { kind: 'refused', reason: failure?.detail ?? told.join(' / ') };
  }
  const signature = bs58.encode(transaction.signature ?? new Uint8Array());
  if (signal.aborted) return { kind: 'again' };
  return waitFor(rpc, { wire, signature, lastValidBlockHeight }, signal);
}

async function waitFor(
  rpc: Rpc,
  sent: {
    readonly wire: Uint8Array;
    readonly signature: string;
    readonly lastValidBlockHeight: bigint;
  },
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { wire, signature, lastValidBlockHeight } = sent;
  for (;;) {
    // The height first: a status that is missing afterwards will never appear.
    const { blockHeight } = await rpc.heightAndSlot('confirmed');
    const { statuses } = await rpc.signatureStatuses([signature], { searchHistory: false });
    const status = statuses[0] ?? null;
    if (status !== null && status.confirmationStatus !== 'processed') {
      // The state has changed since the simulation; the next plan is for the new one.
      if (status.err !== null) return { kind: 'again' };
      return { kind: 'confirmed', slot: status.slot, signature };
    }
    if (status === null) {
      if (blockHeight > lastValidBlockHeight) return { kind: 'again' };
      // The same bytes land at most once.
      await rpc.sendRaw(wire, { skipPreflight: true });
    }
    if (signal.aborted) return { kind: 'unknown', signature };
    await delay(POLL_MS);
  }
}
