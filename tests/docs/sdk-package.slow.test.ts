/** The package as npm gets it, in an empty project: its README's example is checked and run. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listInCatalog } from '@agent-wallet/local-system/paid-services/list-in-catalog.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { installPacked } from '../support/packages/install-packed.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const FUNDS = 5_000_000n;
const STRICT = '--ignoreConfig --noEmit --strict --module nodenext --target es2024'.split(' ');

const system = useSystem({ paidServices: true });
let project = '';
let installed = '';

beforeAll(async () => {
  const packed = await installPacked('sdk');
  ({ folder: project, installed } = packed);
  const [agent = '', x402 = '', owner = ''] = examplesIn(join(installed, 'README.md'));
  symlinkSync(join(MODULES, '@x402'), join(project, 'node_modules/@x402'));
  writeFileSync(join(project, 'example.ts'), agent);
  writeFileSync(join(project, 'x402.ts'), x402);
  writeFileSync(join(project, 'owner.ts'), owner);
  return packed.remove;
});

/** Checks a file as a user's strict project would; throws with the compiler's output. */
const typeCheck = (file: string, ...args: readonly string[]) =>
  run(join(MODULES, '.bin/tsc'), [...STRICT, ...args, file], { cwd: project }).catch(
    (error: unknown) => {
      throw new Error(z.object({ stdout: z.string() }).parse(error).stdout, { cause: error });
    },
  );

/** The blocks of TypeScript in a document. */
function examplesIn(document: string): readonly string[] {
  const blocks = readFileSync(document, 'utf8').matchAll(/```ts\n(?<code>.*?)```/gs);
  return Array.from(blocks, ({ groups }) => groups?.['code'] ?? '');
}

const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0];

describe('the packed client', () => {
  it('names everything that its files import, and nothing of Node', () => {
    const files = globSync('dist/**/*.js', { cwd: installed });
    const code = files.map((name) => readFileSync(join(installed, name), 'utf8')).join('\n');
    const imported = [...code.matchAll(/^(?:import|export) .* ?from '(?<name>[^.'][^']*)'/gm)];
    const manifest = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')));
    const names = new Set(imported.map(({ groups }) => packageOf(groups?.['name'] ?? '')));
    expect(names).toEqual(new Set(Object.keys(manifest.dependencies)));
    expect(code).not.toMatch(/\b(Buffer\.|process\.|require\()/);
  });

  it('has types that need neither those of Node nor skipLibCheck', async () => {
    const code =
      "import { createAgentWallet } from '@agent-wallet/sdk';\ncreateAgentWallet({ url: '', apiKey: '', fetch });\n";
    writeFileSync(join(project, 'browser.ts'), code);
    await expect(typeCheck('browser.ts', '--types', '')).resolves.toBeDefined();
    await expect(typeCheck('owner.ts', '--types', '')).resolves.toBeDefined();
    await expect(typeCheck('x402.ts', '--skipLibCheck', '--types', '')).resolves.toBeDefined();
  });

  it('keeps the code for owners out of the entry for agents', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const imports = readFileSync(file, 'utf8').matchAll(/ from '(?<path>\.[^']*)'/g);
      for (const { groups } of imports) visit(join(dirname(file), groups?.['path'] ?? ''));
    };
    visit(join(installed, 'dist/libs/sdk/src/index.js'));
    expect(seen.size).toBeGreaterThan(10);
    expect(
      [...seen].filter((file) => file.includes('/owner/') && file.includes('/sdk/src/')),
    ).toEqual([]);
  });

  it('runs the example of its README, which spends', async () => {
    const roots = join(MODULES, '@types');
    await typeCheck('example.ts', '--skipLibCheck', '--types', 'node', '--typeRoots', roots);
    const { stdout } = await run(process.execPath, ['example.ts'], {
      cwd: project,
      env: { PATH: dirname(process.execPath), ...(await environment()) },
    });
    expect(stdout).toMatch(/^paid [1-9A-HJ-NP-Za-km-z]{86,88}\nbought \{.*forecast:/s);
  });
});

/** The variables that the example reads. */
async function environment(): Promise<Record<string, string>> {
  const { databaseUrl, paidServices, urls } = system();
  const service = paidServices.find(({ slug }) => slug === 'forecast');
  if (service === undefined) throw new Error('no service to pay');
  await using fixture = await createLaneFixture(system());
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  await listInCatalog(databaseUrl, paidServices);
  const { apiKey } = await owner.createSession({ recipients: [recipient, service.payTo] });
  return { API: urls.api, KEY: apiKey, RECIPIENT: recipient, SERVICE: `${service.url}/oslo` };
}
