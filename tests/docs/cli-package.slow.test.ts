/** `agent-wallet` as npm gets it, in an empty project: an owner creates a session, an agent pays. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PublicKey } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { installPacked, type PackedProject } from '../support/packages/install-packed.ts';
import { runTool } from '../support/packages/run-tool.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const SOL = 1_000_000_000;
const FUNDS = 5_000_000n;
const record = z.record(z.string(), z.unknown());

/** This Node, and further ones that `OTHER_NODES` names by their paths, separated by colons. */
const NODES = [process.execPath, ...(process.env['OTHER_NODES'] ?? '').split(delimiter)].filter(
  (path) => path !== '' && existsSync(path),
);

const system = useSystem();
let packed: PackedProject;
let recipient = '';

beforeAll(async () => {
  packed = await installPacked('cli');
  await using fixture = await createLaneFixture(system());
  recipient = await fixture.createRecipient();
  return packed.remove;
});

const bin = () => join(packed.folder, 'node_modules/.bin/agent-wallet');

describe('the packed command line', () => {
  it('has everything that it runs, and no package of this repository beside it', () => {
    expect(statSync(bin()).mode & 0o100).not.toBe(0);
    const files = globSync('**/*.js', { cwd: packed.installed });
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      expect(readFileSync(join(packed.installed, file), 'utf8')).not.toMatch(/'@agent-wallet\//);
    }
    expect(globSync('*', { cwd: join(packed.folder, 'node_modules/@agent-wallet') })).toEqual([
      'cli',
    ]);
  });

  it('says where the commands of operators are', async () => {
    const help = await runTool([process.execPath, bin(), '--help'], {});
    expect(help.out).toMatch(/audit, catalog, ops\) are in\s+the\s+repository/);
    const refused = await runTool([process.execPath, bin(), 'audit', 'verify'], {});
    expect(refused).toMatchObject({
      code: 2,
      err: 'There is no command "audit verify": try --help.',
    });
  });

  it.each(NODES)('creates, spends and exits on %s', async (node) => {
    const { urls } = system();
    const file = (name: string) => join(packed.folder, `${NODES.indexOf(node)}-${name}`);
    const env = {
      PATH: [dirname(node), process.env['PATH']].join(delimiter),
      AGENT_WALLET_URL: urls.api,
      AGENT_WALLET_KEYPAIR: file('owner.json'),
      RPC_URL: urls.rpc,
    };
    const tool = async (...args: readonly string[]) => {
      const ended = await runTool([node, bin(), ...args, '--json'], env);
      expect(ended).toMatchObject({ code: 0 });
      return record.parse(JSON.parse(ended.out));
    };
    const { address } = await tool('owner', 'create-keypair', file('owner.json'));
    await system().faucet.sol(new PublicKey(z.string().parse(address)), SOL);
    const wallet = await tool('owner', 'wallet', 'create', '--yes');
    await system().faucet.usdc(new PublicKey(z.string().parse(wallet['vaultUsdcAta'])), FUNDS);
    const limits = ['--max-per-tx', '1', '--daily-cap', '2', '--hours', '1'];
    const key = ['--key-file', file('agent.key')];
    const session = ['owner', 'session', 'create', ...limits, '--recipient', recipient];
    await tool(...session, ...key, '--yes');
    const paid = await tool('agent', 'transfer', recipient, '0.25', ...key);
    expect(paid).toMatchObject({ status: 'confirmed', amount: '0.25' });
    expect(await tool('agent', 'position', ...key)).toMatchObject({ liquid: '4.75' });
    expect(await tool('exit', '--yes')).toMatchObject({ closed: true, owner: address });
  });
});
