/**
 * The parse boundary of signatures, of which the workers read more than of anything else: the
 * client library's parser takes longer than the call.
 */

import { SolanaJSONRPCError } from '@solana/web3.js';

import type { SignatureRecord, SignatureStatus, StatusesAtSlot } from './chain-reads.ts';
import type { RpcReply } from '../send/simulation.ts';
import { fieldOf } from '../untrusted-json.ts';

const LEVELS = ['processed', 'confirmed', 'finalized'] as const;

/** Parses the reply to getSignatureStatuses; throws unless it has `count` well-formed statuses. */
export function statusesOf(reply: RpcReply, count: number): StatusesAtSlot {
  const result = resultOf(reply, 'failed to read statuses');
  const value = fieldOf(result, 'value');
  if (!Array.isArray(value) || value.length !== count) throw new RangeError('statuses are missing');
  const slot = slotOf(fieldOf(result, 'context'));
  return {
    slot,
    statuses: value.map((status: unknown) => (status === null ? null : read(status))),
  };
}

/** Parses the reply to getSignaturesForAddress; throws when a record is malformed. */
export function recordsOf(reply: RpcReply): readonly SignatureRecord[] {
  const result = resultOf(reply, 'failed to list signatures');
  if (!Array.isArray(result)) throw new TypeError('no list of signatures');
  return result.map((record: unknown) => {
    const signature = fieldOf(record, 'signature');
    if (typeof signature !== 'string') throw new TypeError('a record has no signature');
    return { signature, slot: slotOf(record), err: errOf(record) };
  });
}

function resultOf(reply: RpcReply, what: string): unknown {
  if (!reply.ok) throw new SolanaJSONRPCError(reply, what);
  return reply.result;
}

function read(status: unknown): SignatureStatus {
  const told = fieldOf(status, 'confirmationStatus') ?? 'processed';
  const confirmationStatus = LEVELS.find((level) => level === told);
  if (confirmationStatus === undefined) throw new TypeError('a status has no known commitment');
  return { slot: slotOf(status), err: errOf(status), confirmationStatus };
}

function slotOf(of: unknown): bigint {
  const slot = fieldOf(of, 'slot');
  if (typeof slot !== 'number') throw new TypeError('there is no slot');
  return BigInt(slot);
}

/** Null only where the node says so: a missing error is no success. */
function errOf(of: unknown): unknown {
  const err = fieldOf(of, 'err');
  if (err !== null && typeof err !== 'object' && typeof err !== 'string') {
    throw new TypeError('a transaction has no outcome');
  }
  return err;
}
