import { open } from 'node:fs/promises';
import type { AuditHead } from '@agent-wallet/audit';
import { z } from 'zod';
import { CliError } from '../../cli-error.ts';

const FORMAT = 'agent-wallet audit heads';
/** A head takes about 140 bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

const headsFile = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  created_at: z.iso.datetime(),
  genesis_hash: z.string().nullable(),
  program_id: z.string(),
  usdc_mint: z.string(),
  heads: z.array(
    z.object({
      wallet_id: z.guid(),
      seq: z.int().min(0),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** The deployment and the heads of all its audit chains at one time. */
export type HeadsFile = z.output<typeof headsFile>;

/** Returns the contents of a file of heads. The chain is null before the first start. */
export function createHeadsFile(
  {
    programId,
    usdcMint,
    genesisHash,
  }: Readonly<Record<'programId' | 'usdcMint', string>> & {
    readonly genesisHash: string | null;
  },
  heads: readonly AuditHead[],
  now: Date,
): HeadsFile {
  return {
    format: FORMAT,
    version: 1,
    created_at: now.toISOString(),
    genesis_hash: genesisHash,
    program_id: programId,
    usdc_mint: usdcMint,
    heads: heads.map(({ walletId, seq, hash }) => ({
      wallet_id: walletId,
      seq: Number(seq),
      hash,
    })),
  };
}

/** The file's text: JSON with one head a line, so that two files can be compared line by line. */
export function headsText({ heads, ...about }: HeadsFile): string {
  const lines = heads.map((head) => JSON.stringify(head));
  const before = JSON.stringify(about).slice(0, -1);
  return `${before},"heads":[\n${lines.join(',\n')}\n]}`;
}

/** Reads a file of heads. Throws a CliError that names the file. */
export async function readHeadsFile(path: string): Promise<HeadsFile> {
  const text = await readText(path);
  const parsed = headsFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  const what = place === '' ? 'it is no JSON object' : `"${place}" is wrong`;
  throw new CliError(`${path} is not a file of "agent-wallet audit heads" in version 1: ${what}.`);
}

async function readText(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error('it is larger than 512 MiB');
    return await file.readFile('utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`${path} cannot be read: ${reason}.`, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The heads as the library compares them. */
export const headsOf = ({ heads }: HeadsFile): AuditHead[] =>
  heads.map(({ wallet_id: walletId, seq, hash }) => ({ walletId, seq: BigInt(seq), hash }));
