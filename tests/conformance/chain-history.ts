/** The chain's own history, read with Anchor and the published description; nothing of ours. */
import { BN, BorshAccountsCoder, BorshCoder, EventParser, type Idl } from '@coral-xyz/anchor';
import { getMint } from '@solana/spl-token';
import { Connection, PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';
import idlJson from '../../program/idl/agent_wallet.json' with { type: 'json' };
import { waitUntil } from '../support/wait-until.ts';
import { world } from './world.ts';

// The coder wants its own type for what the JSON file holds; its constructor checks the rest.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const idl = idlJson as unknown as Idl;
const coder = new BorshCoder(idl);
const accountsCoder = new BorshAccountsCoder(idl);
const connection = new Connection(world.urls.rpc, 'confirmed');
const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

/** Numbers as bigint, addresses as base58, bytes as hex. */
export type Fields = Readonly<Record<string, unknown>>;
export type ChainEvent = { readonly name: string; readonly data: Fields };

export type ChainRecord = {
  readonly signature: string;
  readonly succeeded: boolean;
  readonly signers: readonly string[];
  readonly bytes: number;
  /** Of each top-level instruction. */
  readonly programs: readonly string[];
  /** From the log, as any reader of logs sees them. */
  readonly events: readonly ChainEvent[];
  /** From the program's calls to itself. */
  readonly selfCalls: readonly ChainEvent[];
  readonly logs: readonly string[];
};

/** A chain transaction; waits until the node has it in its history. */
export async function readTransaction(signature: string): Promise<ChainRecord> {
  const response = await waitUntil(`${signature} in the history`, () =>
    connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }),
  );
  const { message, signatures } = response.transaction;
  const { numRequiredSignatures } = message.header;
  const keys = message.getAccountKeys().staticAccountKeys;
  const logs = response.meta?.logMessages ?? [];
  return {
    signature,
    succeeded: response.meta?.err === null,
    signers: keys.slice(0, numRequiredSignatures).map((key) => key.toBase58()),
    programs: message.compiledInstructions.map(
      ({ programIdIndex }) => keys[programIdIndex]?.toBase58() ?? '',
    ),
    bytes: 1 + 64 * signatures.length + message.serialize().length,
    events: eventsInLogs(logs),
    selfCalls: eventsInSelfCalls(response, keys),
    logs,
  };
}

/** Every transaction that touched an address, oldest first. */
export async function historyOf(address: string): Promise<readonly ChainRecord[]> {
  const found = await connection.getSignaturesForAddress(new PublicKey(address));
  return Promise.all(found.toReversed().map(({ signature }) => readTransaction(signature)));
}

/** How many transactions have touched an address. */
export async function countHistory(address: string): Promise<number> {
  return (await connection.getSignaturesForAddress(new PublicKey(address))).length;
}

/** The events of one kind in an address's history, oldest first. */
export async function eventsOf(address: string, name: string): Promise<readonly ChainEvent[]> {
  return (await historyOf(address)).flatMap(({ events }) =>
    events.filter((event) => event.name === name),
  );
}

/** An account of the program, decoded; null when it is not there. */
export async function readAccount(name: 'Vault' | 'Session', address: string) {
  const account = await connection.getAccountInfo(new PublicKey(address));
  if (account === null || account.owner.toBase58() !== world.programId) return null;
  return plain(accountsCoder.decode(name, account.data));
}

/** Owner and size of any account; null when it is not there. */
export async function readOwner(address: string): Promise<string | null> {
  return (await connection.getAccountInfo(new PublicKey(address)))?.owner.toBase58() ?? null;
}

/** Owner and bytes of any account; null when it is not there. */
export async function readData(
  address: string,
): Promise<{ readonly owner: string; readonly data: Uint8Array } | null> {
  const account = await connection.getAccountInfo(new PublicKey(address));
  return account === null ? null : { owner: account.owner.toBase58(), data: account.data };
}

/** Decimals of a mint. */
export async function readMintDecimals(mint: string): Promise<number> {
  return (await getMint(connection, new PublicKey(mint))).decimals;
}

/** Sends a transaction just as it is. @throws what the node says when it refuses. */
export async function sendAsItIs(txBase64: string): Promise<string> {
  return connection.sendEncodedTransaction(txBase64);
}

function eventsInLogs(logs: readonly string[]): readonly ChainEvent[] {
  const parser = new EventParser(new PublicKey(world.programId), coder);
  return [...parser.parseLogs([...logs])].map(({ name, data }) => ({ name, data: plain(data) }));
}

function eventsInSelfCalls(
  { meta }: VersionedTransactionResponse,
  keys: readonly PublicKey[],
): readonly ChainEvent[] {
  const instructions = (meta?.innerInstructions ?? []).flatMap((inner) => inner.instructions);
  return instructions.flatMap(({ programIdIndex, data }) => {
    if (keys[programIdIndex]?.toBase58() !== world.programId) return [];
    const bytes = Buffer.from(bs58.decode(data));
    if (!bytes.subarray(0, EVENT_TAG.length).equals(EVENT_TAG)) return [];
    const event = coder.events.decode(bytes.subarray(EVENT_TAG.length).toString('base64'));
    return event === null ? [] : [{ name: event.name, data: plain(event.data) }];
  });
}

const record = z.record(z.string(), z.unknown());

function plain(struct: unknown): Fields {
  return Object.fromEntries(
    Object.entries(record.parse(struct)).map(([name, value]) => [name, plainValue(value)]),
  );
}

function plainValue(value: unknown): unknown {
  if (value instanceof PublicKey) return value.toBase58();
  if (BN.isBN(value)) return BigInt(String(value));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (!Array.isArray(value)) return value;
  const bytes = z.array(z.int().min(0).max(255)).nonempty().safeParse(value);
  return bytes.success ? Buffer.from(bytes.data).toString('hex') : value.map(plainValue);
}
