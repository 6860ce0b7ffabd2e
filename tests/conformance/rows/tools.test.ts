/** The tools that people hold: SDK, command line and the owner's page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../../../apps/dashboard/page/routes.ts';
import { OWNER_CALLS } from '../../../libs/sdk/src/owner/owner-calls.ts';
import { row } from '../row.ts';
import { call, world } from '../world.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

row('service.no-released-tools', () => {
  for (const folder of ['libs/sdk', 'apps/cli']) {
    const manifest: unknown = JSON.parse(read(`${folder}/package.json`));
    // npm refuses to publish a private package.
    expect([folder, manifest]).toMatchObject([folder, { private: true }]);
  }
  const readme = read('README.md').replaceAll(/\s+/g, ' ');
  expect(readme).toContain('none of them is published yet');
});

type OwnerCall = keyof typeof OWNER_CALLS;

/** Where the page does what a call of the SDK's client does in another way, or by another name. */
const ON_PAGE: Readonly<Partial<Record<OwnerCall, RegExp>>> = {
  nonce: /\.signIn\(/,
  // The address is derived and not asked for.
  depositAddress: /vaultUsdcAta/,
  // Computed from the limits, also for a session that does not exist yet.
  sessionBlastRadius: /\bworstCase\(/,
  createWebhook: /webhooks\.create\(/,
  webhooks: /webhooks\.list\(/,
  // The list has every field of a webhook.
  webhook: /webhooks\.list\(/,
  changeWebhook: /webhooks\.change\(/,
  rotateWebhookSecret: /webhooks\.rotateSecret\(/,
  deleteWebhook: /webhooks\.delete\(/,
  testWebhook: /webhooks\.test\(/,
  webhookDeliveries: /webhooks\.deliveries\(/,
};

const documentOf = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ security: z.array(z.record(z.string(), z.unknown())) })),
  ),
});

row('service.all-in-dashboard', async () => {
  const { paths } = documentOf.parse((await call('GET', '/openapi.json')).body);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((one) => 'ownerCookie' in one))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const known = Object.values(OWNER_CALLS).map(({ method, path }) => `${method} ${path}`);
  expect(known).toEqual(expect.arrayContaining(operations));

  // tests/browser holds each of these views in a browser.
  const page = globSync('apps/dashboard/page/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => !file.includes('.test.'))
    .map(read)
    .join('\n');
  const missing = Object.keys(OWNER_CALLS).filter((name) => !patternOf(name).test(page));
  expect(missing).toEqual([]);
  for (const path of Object.values(ROUTES)) {
    const response = await fetch(new URL(path.replace(':id', 'x'), world.urls.dashboard));
    expect([path, response.status]).toEqual([path, 200]);
  }
});

const patternOf = (name: string): RegExp =>
  new Map(Object.entries(ON_PAGE)).get(name) ?? new RegExp(String.raw`\.${name}\(`);
