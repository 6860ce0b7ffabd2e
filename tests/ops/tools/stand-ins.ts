import { runTool, wordsOf } from './run-tool.ts';

const BASE = 'localhost/agent-wallet/base:bookworm';
const FOLDER = 'tests/ops/stand-ins';

/** Variable of deploy/compose.yaml, and the Debian package with the same server. */
const STAND_INS = {
  POSTGRES_IMAGE: 'postgresql',
  VALKEY_IMAGE: 'redis-server',
  PROMETHEUS_IMAGE: 'prometheus',
} as const;

/**
 * Builds images of Debian's packages in place of those of registries, and returns the variables that
 * name them. Debian has no Grafana.
 */
export async function buildStandIns(): Promise<Readonly<Record<string, string>>> {
  const images: Record<string, string> = {};
  for (const [variable, packages] of Object.entries(STAND_INS)) {
    const image = `localhost/agent-wallet/stand-in-${packages}:bookworm`;
    await runTool([
      ...wordsOf(`buildah bud --isolation chroot --network host --layers --format docker
        --file ${FOLDER}/Containerfile --build-arg BASE=${BASE} --build-arg PACKAGES=${packages}
        --tag ${image} ${FOLDER}`),
    ]);
    images[variable] = image;
  }
  return images;
}
