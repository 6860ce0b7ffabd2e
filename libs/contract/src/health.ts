import { z } from 'zod';

export const livezAnswer = z
  .object({ status: z.literal('ok') })
  .meta({ description: 'The process is alive.', examples: [{ status: 'ok' }] });

/** `checks` by name: database, queue, rpc. */
export const readyzAnswer = z
  .object({
    status: z.enum(['ready', 'not ready', 'draining']),
    checks: z.record(z.string(), z.enum(['ok', 'down'])),
  })
  .meta({
    description: '200 when ready, 503 when a dependency is down or the process is stopping.',
    examples: [{ status: 'ready', checks: { database: 'ok', queue: 'ok', rpc: 'ok' } }],
  });

export const documentAnswer = z
  .looseObject({ openapi: z.literal('3.1.0') })
  .meta({ description: 'This document, OpenAPI 3.1.', examples: [{ openapi: '3.1.0' }] });
