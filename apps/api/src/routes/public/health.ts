import { livezAnswer, readyzAnswer } from '@agent-wallet/contract';
import { endsWithin } from '@agent-wallet/process';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';

/** Checks one dependency of the process; rejects when it is unavailable. */
type ReadinessCheck = () => Promise<unknown>;

export type HealthDeps = {
  /** By name: database, queue, rpc. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** True once the process has received its stop signal. */
  readonly isDraining: () => boolean;
};

const CHECK_TIMEOUT_MS = 3_000;

/** Routes for supervisors. */
export function healthRoutes(deps: HealthDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/livez',
      {
        config: {
          doc: { tag: 'Operation', caller: 'anybody', summary: 'Liveness of the process' },
        },
        logLevel: 'warn',
        schema: { response: { 200: livezAnswer } },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/readyz',
      {
        config: {
          doc: {
            tag: 'Operation',
            caller: 'anybody',
            summary: 'Readiness of the process',
          },
        },
        logLevel: 'warn',
        schema: { response: { 200: readyzAnswer, 503: readyzAnswer } },
      },
      async (_request, reply) => {
        const results = await Promise.all(
          Object.entries(deps.checks).map(
            async ([name, check]) => [name, await isUp(check)] as const,
          ),
        );
        const isReady = !deps.isDraining() && results.every(([, isFine]) => isFine);
        return reply.code(isReady ? 200 : 503).send({
          status: deps.isDraining() ? 'draining' : isReady ? 'ready' : 'not ready',
          checks: Object.fromEntries(
            results.map(([name, isFine]) => [name, isFine ? 'ok' : 'down']),
          ),
        });
      },
    );
  };
}

const isUp = (check: ReadinessCheck): Promise<boolean> =>
  endsWithin(check(), CHECK_TIMEOUT_MS).catch(() => false);
