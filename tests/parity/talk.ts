import { createHash } from 'node:crypto';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';
import { waitUntil } from '../support/wait-until.ts';
import { createSymbols, type Json, jsonSchema, type Symbols } from './symbols.ts';

/** Where a chain listens, and the key that holds its SOL. */
export type ChainUnderTest = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly faucet: Keypair;
};

export type Transcript = Map<string, Json>;

export type Level = 'processed' | 'confirmed' | 'finalized';

export type Signed = {
  readonly signature: string;
  readonly wire: Uint8Array;
  /** The wire bytes, for `sendTransaction` with `encoding: 'base64'`. */
  readonly base64: string;
};

export type Draft = {
  /** The name of its signature in the transcript. */
  readonly name: string;
  readonly payer: Keypair;
  readonly others?: readonly Keypair[];
  readonly instructions: readonly TransactionInstruction[];
  /** Default: the newest one. */
  readonly blockhash?: string;
  readonly version?: 'legacy' | 0;
};

/** One side of a conversation with a chain. */
export type Talk = {
  readonly chain: ChainUnderTest;
  readonly symbols: Symbols;
  readonly transcript: Transcript;
  /** Sends one call; returns its `result` or `error` member alone. Writes nothing down. */
  call(method: string, params?: Json): Promise<Json>;
  /** The result of a call that cannot fail. Writes nothing down. */
  result(method: string, params?: Json): Promise<Json>;
  /** Sends one call and writes its answer down. */
  ask(step: string, method: string, params?: Json): Promise<Json>;
  /** Writes down what a step showed. Throws when the step was written down before. */
  note(step: string, shown: Json): void;
  /** The same key on every chain. */
  key(name: string): Keypair;
  blockhash(): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  sign(draft: Draft): Promise<Signed>;
  /** Sends without preflight. */
  send(signed: Signed): Promise<Json>;
  /** Waits until the chain shows it at this level, and names its slot. */
  landed(signed: Signed, level: Level): Promise<number>;
  /** Gives an address SOL, and waits until this is finalized. */
  fund(address: PublicKey, lamports: number): Promise<void>;
};

/** Methods whose whole result is a slot or a height. */
const COUNTING = new Set(['getSlot', 'getBlockHeight']);
const countless = (shown: Json): Json =>
  z.object({ result: z.number() }).safeParse(shown).success ? { result: '<slot>' } : shown;

const LANDS_WITHIN_MS = 30_000;

const latest = z.object({
  value: z.object({ blockhash: z.string(), lastValidBlockHeight: z.number() }),
});
const statuses = z.object({
  value: z.array(z.object({ slot: z.number(), confirmationStatus: z.string() }).nullable()),
});
const answer = z.union([
  z.object({ result: jsonSchema }).strip(),
  z.object({ error: jsonSchema }).strip(),
]);

/** Sends a body as it is. */
export async function post(
  rpcUrl: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(rpcUrl, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

/** Begins a conversation. Keys are derived from names, so both sides of a parity test share them. */
export function createTalk(chain: ChainUnderTest): Talk {
  const symbols = createSymbols();
  const transcript: Transcript = new Map();
  symbols.name(chain.faucet.publicKey.toBase58(), '<faucet>');
  let calls = 0;

  async function call(method: string, params: Json = []): Promise<Json> {
    calls += 1;
    const { text } = await post(
      chain.rpcUrl,
      JSON.stringify({ jsonrpc: '2.0', id: calls, method, params }),
    );
    return answer.parse(JSON.parse(text));
  }

  async function result(method: string, params: Json = []): Promise<Json> {
    return z.object({ result: jsonSchema }).parse(await call(method, params)).result;
  }

  function note(step: string, shown: Json): void {
    if (transcript.has(step)) throw new Error(`the step "${step}" was written down before`);
    transcript.set(step, symbols.normalise(shown));
  }

  async function ask(step: string, method: string, params: Json = []): Promise<Json> {
    const shown = await call(method, params);
    note(step, COUNTING.has(method) ? countless(shown) : shown);
    return shown;
  }

  async function blockhash(): Promise<z.infer<typeof latest>['value']> {
    const { value } = latest.parse(
      await result('getLatestBlockhash', [{ commitment: 'confirmed' }]),
    );
    symbols.name(value.blockhash, '<blockhash>');
    return value;
  }

  async function sign(draft: Draft): Promise<Signed> {
    const message = new TransactionMessage({
      payerKey: draft.payer.publicKey,
      recentBlockhash: draft.blockhash ?? (await blockhash()).blockhash,
      instructions: [...draft.instructions],
    });
    const transaction = new VersionedTransaction(
      draft.version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage(),
    );
    transaction.sign([draft.payer, ...(draft.others ?? [])]);
    return signedBytes(draft.name, transaction.serialize());
  }

  function signedBytes(name: string, wire: Uint8Array): Signed {
    const signature = bs58.encode(wire.subarray(1, 65));
    const base64 = Buffer.from(wire).toString('base64');
    symbols.name(signature, `<signature of ${name}>`);
    for (let nth = 1; nth < (wire[0] ?? 0); nth += 1) {
      const other = wire.subarray(1 + 64 * nth, 65 + 64 * nth);
      symbols.name(bs58.encode(other), `<signature ${nth} of ${name}>`);
    }
    symbols.name(base64, `<bytes of ${name}>`);
    symbols.name(bs58.encode(wire), `<bytes of ${name} in base58>`);
    return { signature, wire, base64 };
  }

  const send = (signed: Signed): Promise<Json> =>
    call('sendTransaction', [signed.base64, { encoding: 'base64', skipPreflight: true }]);

  async function landed(signed: Signed, level: Level): Promise<number> {
    const levels: readonly string[] = level === 'finalized' ? [level] : [level, 'finalized'];
    const slot = await waitUntil(
      `${level}: ${JSON.stringify(symbols.normalise(signed.signature))}`,
      async () => {
        const { value } = statuses.parse(
          await result('getSignatureStatuses', [[signed.signature]]),
        );
        const [status] = value;
        return status && levels.includes(status.confirmationStatus) ? status.slot : null;
      },
      { timeoutMs: LANDS_WITHIN_MS },
    );
    symbols.nameSlot(slot);
    return slot;
  }

  async function fund(address: PublicKey, lamports: number): Promise<void> {
    const signed = await sign({
      name: `the funding of ${address.toBase58()} with ${lamports}`,
      payer: chain.faucet,
      instructions: [
        SystemProgram.transfer({
          fromPubkey: chain.faucet.publicKey,
          toPubkey: address,
          lamports,
        }),
      ],
    });
    await send(signed);
    await landed(signed, 'finalized');
  }

  return {
    chain,
    symbols,
    transcript,
    call,
    result,
    ask,
    note,
    key: (name) => Keypair.fromSeed(createHash('sha256').update(name).digest()),
    blockhash,
    sign,
    send,
    landed,
    fund,
  };
}
