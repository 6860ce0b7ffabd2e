import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@agent-wallet/local-system/postgres/embedded-postgres.ts';

const DOCKER_IMAGE = 'postgres:18-alpine';
const DOCKER_INFO_TIMEOUT_MS = 5_000;
const PASSWORD = 'test';

/** A Postgres in which a test run may create and drop databases. */
export interface PostgresCluster {
  /** Connection string of an existing database, with the right to create others. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * The cluster for one test run, from the first available source: `TEST_DATABASE_URL`, Docker, the
 * embedded one. Skipped sources are logged with the reason.
 */
export async function startPostgresCluster(log: (line: string) => void): Promise<PostgresCluster> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) {
    log('postgres: TEST_DATABASE_URL (skipped: Docker and embedded, because it is set)');
    return { adminUrl: given, stop: async () => undefined };
  }
  if (dockerAnswers()) {
    log(`postgres: ${DOCKER_IMAGE} in Docker (skipped: embedded, because docker info answers)`);
    return startInDocker();
  }
  log(
    'postgres: embedded (skipped: TEST_DATABASE_URL, because it is not set; ' +
      'Docker, because docker info does not answer)',
  );
  return startEmbedded();
}

function dockerAnswers(): boolean {
  return spawnSync('docker', ['info'], { timeout: DOCKER_INFO_TIMEOUT_MS }).status === 0;
}

async function startInDocker(): Promise<PostgresCluster> {
  // Imported here, because it takes a second to load and most machines do not need it.
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(DOCKER_IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=500'])
    .withExposedPorts(5432)
    // The image starts the server twice; the first one stops again.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return {
    adminUrl: `postgres://postgres:${PASSWORD}@${address}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
}

async function startEmbedded(): Promise<PostgresCluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-wallet-tests-'));
  const logFile = join(dataDir, 'postgres.log');
  // Tests kill processes, never the machine, so fsync protects against nothing here.
  const postgres = await startEmbeddedPostgres({ dataDir, logFile, fsync: false });
  return {
    adminUrl: postgres.url,
    stop: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
