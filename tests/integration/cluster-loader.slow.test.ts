/**
 * The scripts of deploy/cluster against a real upgradeable loader: on Surfnet where it has a build,
 * and on the local chain. Squads and Program Metadata are on neither: the multisig is an account that
 * the package of Squads made, and the bytes of their instructions are compared elsewhere.
 */
import { readFileSync } from 'node:fs';
import { hashProgram, SQUADS_PROGRAM } from '@agent-wallet/chain';
import type { StartedNode } from '@agent-wallet/local-system/chain/embedded-node.ts';
import { startLocalNode } from '@agent-wallet/local-system/chain/start-local-node.ts';
import { startSurfnetNode } from '@agent-wallet/local-system/chain/surfnet-node.ts';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../deploy/cluster/src/chain/cluster.ts';
import { createSend } from '../../deploy/cluster/src/chain/send.ts';
import { deployProgram } from '../../deploy/cluster/src/loader/deploy-program.ts';
import { upgradeProgram } from '../../deploy/cluster/src/loader/loader-instructions.ts';
import { readProgram } from '../../deploy/cluster/src/loader/read-program.ts';
import { publishIdl } from '../../deploy/cluster/src/metadata/publish-idl.ts';
import { createMultisig } from '../../deploy/cluster/src/multisig/create-multisig.ts';
import { handOver } from '../../deploy/cluster/src/multisig/hand-over.ts';
import { SQUADS } from '../../libs/chain/fixtures/squads-bytes.ts';

const SLOT_TIME_MS = 100;
const SOL = 1_000_000_000;
const SURFNET_PLATFORMS = ['linux-x64', 'darwin-arm64', 'darwin-x64'];
const hasSurfnet = SURFNET_PLATFORMS.includes(`${process.platform}-${process.arch}`);

const artifact = (name: string): Buffer =>
  readFileSync(new URL(`../../program/artifacts/${name}.so`, import.meta.url));
const SMALL = artifact('reserve_sandbox');
const LARGE = artifact('agent_wallet');

const chains = [
  ['the local chain', () => startLocalNode({ slotTimeMs: SLOT_TIME_MS })],
  // It has packages for some platforms only.
  ...(hasSurfnet ? [['Surfnet', () => startSurfnetNode(SLOT_TIME_MS)] as const] : []),
] as const;

const bytesOf = (base64: string): number[] => [...Buffer.from(base64, 'base64')];
const yes = async (): Promise<boolean> => true;

describe.each(chains)('with the loader of %s', (_name, start) => {
  const programKey = Keypair.generate();
  const payer = Keypair.generate();
  const said: string[] = [];
  let node: StartedNode;
  let cluster: Cluster;

  beforeAll(async () => {
    ({ node } = await start());
    node.fundSol(payer.publicKey.toBase58(), 100 * SOL);
    const send = createSend(node.connection, payer);
    cluster = { connection: node.connection, payer, send, say: (line) => said.push(line) };
    node.setAccount(SQUADS.multisig, SOL, bytesOf(SQUADS.twoOfThree), SQUADS_PROGRAM);
  });
  afterAll(() => node.stop());

  test('a deployment that was interrupted continues where it stopped', async () => {
    let left = 20;
    const interrupted: Cluster = {
      ...cluster,
      send: (instructions, signers) => {
        left -= 1;
        if (left < 0) throw new Error('interrupted');
        return cluster.send(instructions, signers);
      },
    };
    const first = deployProgram(interrupted, { programKey, bytes: SMALL });
    await expect(first).rejects.toThrow('interrupted');
    // Those that were on their way land before the next run reads the buffer.
    const sha256 = hashProgram(SMALL);
    expect(await deployProgram(cluster, { programKey, bytes: SMALL })).toEqual({
      kind: 'deployed',
      sha256,
    });
    const counts = said.map((line) => Number(/(\d+) of \d+ chunks/.exec(line)?.[1]));
    expect(counts[1]).toBeLessThan(counts[0] ?? 0);
    expect(await readProgram(cluster, programKey.publicKey)).toMatchObject({
      authority: payer.publicKey.toBase58(),
      sha256,
    });
  });

  test('the same bytes again change nothing', async () => {
    const again = await deployProgram(cluster, { programKey, bytes: SMALL });
    expect(again.kind).toBe('unchanged');
  });

  test('a longer program replaces it, in more room', async () => {
    const done = await deployProgram(cluster, { programKey: programKey.publicKey, bytes: LARGE });
    expect(done).toEqual({ kind: 'upgraded', sha256: hashProgram(LARGE) });
  });

  test('an address without a program needs its key', async () => {
    const { publicKey } = Keypair.generate();
    const deployed = deployProgram(cluster, { programKey: publicKey, bytes: SMALL });
    await expect(deployed).rejects.toThrow('needs its key file');
  });

  test('what is not on the chain is named', async () => {
    const { publicKey: program } = programKey;
    await expect(publishIdl(cluster, program, '{}')).rejects.toThrow('Program Metadata program');
    const members = [payer, Keypair.generate()].map(({ publicKey }) => publicKey.toBase58());
    await expect(createMultisig(cluster, { members, threshold: 2 })).rejects.toThrow('Squads v4');
    await expect(createMultisig(cluster, { members, threshold: 1 })).rejects.toThrow('2 to 2');
  });

  test('an authority goes to a multisig only when that was confirmed, and then for good', async () => {
    const { publicKey: program } = programKey;
    const request = { program, multisig: SQUADS.multisig };
    await expect(handOver(cluster, request, async () => false)).rejects.toThrow('Not confirmed');
    expect((await readProgram(cluster, program))?.authority).toBe(payer.publicKey.toBase58());

    node.setAccount(SQUADS.multisig, SOL, bytesOf(SQUADS.oneWithAuthority), SQUADS_PROGRAM);
    await expect(handOver(cluster, request, yes)).rejects.toThrow('remove its config authority');
    node.setAccount(SQUADS.multisig, SOL, bytesOf(SQUADS.twoOfThree), SQUADS_PROGRAM);

    expect(await handOver(cluster, request, yes)).toMatchObject({ to: SQUADS.vault });
    expect((await readProgram(cluster, program))?.authority).toBe(SQUADS.vault);
    expect(await handOver(cluster, request, yes)).toBeNull();
  });

  test('the former authority can only propose an upgrade', async () => {
    const { publicKey: program } = programKey;
    const proposed = await deployProgram(cluster, { programKey: program, bytes: SMALL });
    if (proposed.kind !== 'proposed') throw new Error(`it was ${proposed.kind}`);
    expect(proposed.authority).toBe(SQUADS.vault);
    const again = await deployProgram(cluster, { programKey: program, bytes: SMALL });
    expect(again).toEqual(proposed);

    const buffer = new PublicKey(proposed.buffer);
    const upgrade = upgradeProgram({ program, buffer }, payer.publicKey);
    await expect(cluster.send([upgrade])).rejects.toThrow(/authority/i);
    expect((await readProgram(cluster, program))?.sha256).toBe(hashProgram(LARGE));
  });
});
