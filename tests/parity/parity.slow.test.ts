/**
 * The local chain is held to a second implementation: the same conversation is played on both, and
 * their answers are compared field by field. Surfnet has packages for some platforms only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type ChainKind,
  type EmbeddedChain,
  startEmbeddedChain,
} from '@agent-wallet/local-system/chain/embedded-chain.ts';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED_DIFFERENCES } from './allowed/all.ts';
import { CHAPTERS } from './chapters/all.ts';
import { compareTranscripts, judgeDifferences } from './compare.ts';
import { createTalk, type Transcript } from './talk.ts';

const SLOT_TIME_MS = 100;
const CONVERSATION_TIMEOUT_MS = 180_000;
const SURFNET_PLATFORMS = ['linux-x64', 'darwin-arm64', 'darwin-x64'];
const hasSurfnet = SURFNET_PLATFORMS.includes(`${process.platform}-${process.arch}`);
const skipReason = hasSurfnet ? '' : ' (skipped: Surfnet has no package for this platform)';

/** Plays all chapters at the same time; each step's name begins with that of its chapter. */
async function converse({ rpcUrl, wsUrl, faucetSecretKey }: EmbeddedChain): Promise<Transcript> {
  const faucet = Keypair.fromSecretKey(bs58.decode(faucetSecretKey));
  const whole: Transcript = new Map();
  await Promise.all(
    CHAPTERS.map(async ({ name, play }) => {
      const talk = createTalk({ rpcUrl, wsUrl, faucet });
      await play(talk);
      for (const [step, shown] of talk.transcript) whole.set(`${name}: ${step}`, shown);
    }),
  );
  return whole;
}

describe.skipIf(!hasSurfnet)(`our chain beside Surfnet${skipReason}`, () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'parity-'));
  const chains: EmbeddedChain[] = [];

  async function start(kind: ChainKind): Promise<EmbeddedChain> {
    const logFile = path.join(dir, `${kind}.log`);
    const chain = await startEmbeddedChain({ kind, slotTimeMs: SLOT_TIME_MS, logFile });
    chains.push(chain);
    return chain;
  }

  let reference: Transcript;
  let ours: Transcript;
  beforeAll(async () => {
    [reference, ours] = await Promise.all([
      start('surfnet').then(converse),
      start('litesvm').then(converse),
    ]);
  }, CONVERSATION_TIMEOUT_MS);
  afterAll(async () => {
    await Promise.all(chains.map((chain) => chain.stop()));
    rmSync(dir, { recursive: true });
  });

  test('every chapter was played to its end on both', () => {
    for (const { name } of CHAPTERS) {
      const stepsOf = (transcript: Transcript): string[] =>
        [...transcript.keys()].filter((step) => step.startsWith(`${name}: `)).toSorted();
      expect(stepsOf(ours).length).toBeGreaterThan(4);
      expect(stepsOf(ours)).toEqual(stepsOf(reference));
    }
  });

  test('they answer alike, but for the allowed differences', () => {
    const differences = compareTranscripts(reference, ours);
    expect(judgeDifferences(differences, ALLOWED_DIFFERENCES).unexpected).toEqual([]);
  });

  test('every allowed difference occurs, as often as it should', () => {
    const differences = compareTranscripts(reference, ours);
    expect(judgeDifferences(differences, ALLOWED_DIFFERENCES).miscounted).toEqual([]);
  });
});
