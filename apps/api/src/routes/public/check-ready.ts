import type { FastifyInstance } from 'fastify';

/** Throws the response of `/readyz` when the api is not ready. */
export async function checkReady(app: FastifyInstance): Promise<void> {
  const { statusCode, body } = await app.inject('/readyz');
  if (statusCode !== 200) throw new Error(body);
}
