/** The places in which services put their challenge, and the accepted forms. */

import type { PlainHeaders } from '@agent-wallet/egress';
import {
  isJsonRecord,
  numberIn,
  parseExactJson,
  writeExactJson,
  type JsonRecord,
} from './exact-json.ts';

export type Dialect = 'v2-header' | 'v2-body' | 'v1-body' | 'x-payment-required';

export type ChallengeDocument = {
  readonly dialect: Dialect;
  readonly version: 1 | 2;
  readonly offers: readonly JsonRecord[];
  readonly resource: string | null;
};

export type NoChallenge =
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'unparsable'; readonly why: string };

const MAX_HEADER_CHARS = 16_384;
const MAX_BODY_BYTES = 65_536;
/** A longer list is refused as a whole: its real demand could follow the cut. */
const MAX_OFFERS = 64;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

type Read = { readonly document: ChallengeDocument } | { readonly why: string } | null;

/**
 * All challenges of a 402 in the order of trust: header `PAYMENT-REQUIRED` (version 2), a body of
 * version 2, one of version 1, the header `X-Payment-Required`. Unreadable places are skipped,
 * because the others may be fine; `fault` applies when there is no challenge.
 */
export function readChallenges(
  headers: PlainHeaders,
  body: Buffer,
): { readonly documents: readonly ChallengeDocument[]; readonly fault: NoChallenge } {
  const reads = [
    readHeader(headers['payment-required'], 'v2-header'),
    readBody(body),
    readHeader(headers['x-payment-required'], 'x-payment-required'),
  ].filter((read) => read !== null);
  const documents = reads.flatMap((read) => ('document' in read ? [read.document] : []));
  return { documents, fault: faultOf(reads, headers['www-authenticate']) };
}

function faultOf(
  reads: readonly Exclude<Read, null>[],
  authenticate: string | undefined,
): NoChallenge {
  if (/(^|,)\s*payment\s/i.test(authenticate ?? '')) {
    return { kind: 'unsupported', why: 'the service uses the Payment authentication scheme' };
  }
  const [why] = reads.flatMap((read) => ('why' in read ? [read.why] : []));
  return { kind: 'unparsable', why: why ?? 'the 402 carries no challenge' };
}

function readHeader(value: string | undefined, dialect: Dialect): Read {
  if (value === undefined || value === '') return null;
  if (value.length > MAX_HEADER_CHARS) return { why: 'the challenge header is too large' };
  // Header values arrive as latin1: JSON in a header is unambiguous in ASCII only.
  if (value.startsWith('{')) return readDocument(Buffer.from(value, 'latin1'), dialect);
  if (!BASE64.test(value)) return { why: 'the challenge header is not base64' };
  return readDocument(Buffer.from(value, 'base64'), dialect);
}

function readBody(body: Buffer): Read {
  if (body.length === 0) return null;
  if (body.length > MAX_BODY_BYTES) return { why: 'the challenge body is too large' };
  const read = readDocument(body, 'v2-body');
  if (read === null || !('document' in read) || read.document.version === 2) return read;
  return { document: { ...read.document, dialect: 'v1-body' } };
}

function readDocument(bytes: Buffer, dialect: Dialect): Read {
  const document = parseExactJson(bytes);
  if (document === undefined) return { why: 'the challenge is not JSON' };
  if (!isJsonRecord(document)) return { why: 'the challenge is not an object' };
  const { accepts, resource } = document;
  const version = numberIn(document['x402Version']);
  if (!Array.isArray(accepts) || accepts.length === 0)
    return { why: 'the challenge has no offers' };
  if (accepts.length > MAX_OFFERS) {
    return { why: `the challenge has more than ${MAX_OFFERS} offers` };
  }
  if (version !== 1 && version !== 2) return { why: 'x402Version is neither 1 nor 2' };
  const resourceText =
    resource === undefined || resource === null ? null : writeExactJson(resource);
  if (resourceText === undefined) return { why: 'the resource cannot be kept' };
  return {
    document: { dialect, version, offers: accepts.filter(isJsonRecord), resource: resourceText },
  };
}
