import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createCases, type Surface } from '../surface.ts';

const ROOT = new URL('../../../', import.meta.url);

const lockfileSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/** Who can put other code in a package's place: everything comes from a registry, by its hash. */
export const lockfile: Surface = {
  name: 'lockfile',
  leastCases: 500,
  removable: ['a-package-from-git'],
  attack: async ({ removed }) => {
    const cases = createCases();
    const text = await readFile(new URL('package-lock.json', ROOT), 'utf8');
    const { packages } = lockfileSchema.parse(JSON.parse(text));
    if (removed === 'a-package-from-git') {
      packages['node_modules/planted'] = { resolved: 'git+ssh://git@example.com/planted.git' };
    }
    for (const [path, { resolved, link = false }] of Object.entries(packages)) {
      await cases.try(path, () =>
        link || resolved === undefined || /^https:\/\/[^/]+\/.+\.tgz$/.test(resolved)
          ? null
          : `comes from ${resolved}`,
      );
    }
    return cases.report();
  },
};
