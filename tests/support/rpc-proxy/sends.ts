import { VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';
import type { RpcCall, RpcError } from './fault-proxy.ts';

const SIGNATURE_BYTES = 64;
const sendConfig = z.looseObject({
  skipPreflight: z.boolean().default(false),
  minContextSlot: z.number().optional(),
});

/** A decoded sendTransaction call. */
export type SeenSend = {
  readonly signature: string;
  readonly base64: string;
  /** The lane's first send uses preflight; a re-send of the same bytes does not. */
  readonly isFirst: boolean;
};

/** Null for every other method. Our transactions have fewer than 128 signatures. */
export function readSend({ method, params }: RpcCall): SeenSend | null {
  if (method !== 'sendTransaction') return null;
  const base64 = z.string().parse(params[0]);
  const wire = Buffer.from(base64, 'base64');
  const { skipPreflight } = sendConfig.parse(params[1] ?? {});
  const signature = bs58.encode(wire.subarray(1, 1 + SIGNATURE_BYTES));
  return { signature, base64, isFirst: !skipPreflight };
}

/** The accounts in a transaction. */
export function accountsOf(base64: string): readonly string[] {
  const { message } = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
  return message.staticAccountKeys.map((key) => key.toBase58());
}

const DAILY_CAP_EXCEEDED = 6_004;

/** The error of a node when the program refuses in preflight. */
export function preflightRefusal(base64: string, programId: string): RpcError {
  const { message } = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const index = message.compiledInstructions.findIndex(
    ({ programIdIndex }) => keys[programIdIndex] === programId,
  );
  const reason = `custom program error: 0x${DAILY_CAP_EXCEEDED.toString(16)}`;
  return {
    code: -32_002,
    message: `Transaction simulation failed: Error processing Instruction ${index}: ${reason}`,
    data: {
      err: { InstructionError: [index, { Custom: DAILY_CAP_EXCEEDED }] },
      logs: [`Program ${programId} invoke [1]`, `Program ${programId} failed: ${reason}`],
    },
  };
}
