import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeSbom } from './sbom.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

test('the bill of materials lists packages and crates with their hashes, and is deterministic', async () => {
  const sbom = await makeSbom(ROOT);
  expect(JSON.stringify(await makeSbom(ROOT))).toBe(JSON.stringify(sbom));
  expect(sbom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  const find = (start: string) => sbom.components.find(({ purl }) => purl.startsWith(start));
  expect(find('pkg:npm/slonik@')).toMatchObject({
    name: 'slonik',
    scope: 'required',
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  expect(find('pkg:npm/vitest@')).toMatchObject({ scope: 'excluded' });
  expect(find('pkg:npm/%40solana/web3.js@')).toBeDefined();
  expect(find('pkg:cargo/pinocchio@')).toMatchObject({
    hashes: [{ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  expect(new Set(sbom.components.map(({ purl }) => purl)).size).toBe(sbom.components.length);
});
