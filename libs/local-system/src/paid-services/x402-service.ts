import type { IncomingMessage, RequestListener } from 'node:http';
import {
  type FacilitatorClient,
  type HTTPAdapter,
  type HTTPProcessResult,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/core/server';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { TEST_NETWORK } from './test-network.ts';
import { replyJson, type Sell } from './service-host.ts';

/**
 * A standard x402 v2 service on the reference resource server: it replies 402, lets the facilitator
 * verify a payment, produces the goods, lets the payment settle, and replies. One request costs
 * `amount` base units of `asset`.
 */
export async function createX402Service(options: {
  readonly facilitator: FacilitatorClient;
  readonly payTo: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly sell: Sell;
}): Promise<RequestListener> {
  const { facilitator, payTo, asset, amount, sell } = options;
  const resources = new x402ResourceServer(facilitator).register(
    TEST_NETWORK,
    new ExactSvmScheme(),
  );
  const server = new x402HTTPResourceServer(resources, {
    '*': {
      accepts: {
        scheme: 'exact',
        network: TEST_NETWORK,
        price: { amount: amount.toString(), asset },
        payTo,
        maxTimeoutSeconds: 60,
      },
    },
  });
  await server.initialize();
  return (request, response) => {
    answer(server, request, sell).then(
      ({ status, headers, body }) => replyJson(response, status, headers, body),
      (error: unknown) => replyJson(response, 502, {}, { error: String(error) }),
    );
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function answer(
  server: x402HTTPResourceServer,
  request: IncomingMessage,
  sell: Sell,
): Promise<Answer> {
  const adapter = adapterOf(request);
  const context = { adapter, path: adapter.getPath(), method: adapter.getMethod() };
  const result = await server.processHTTPRequest(context);
  switch (result.type) {
    case 'payment-error': {
      const { status, headers, body } = result.response;
      return { status, headers, body: body ?? {} };
    }
    case 'no-payment-required':
      throw new Error('every request is to be paid');
    case 'payment-verified':
      return answerPaid(server, request, sell, result);
  }
}

/** Failed requests are not charged, and the goods are handed out only after settlement. */
async function answerPaid(
  server: x402HTTPResourceServer,
  request: IncomingMessage,
  sell: Sell,
  paid: Extract<HTTPProcessResult, { type: 'payment-verified' }>,
): Promise<Answer> {
  const sold = await sell({ method: request.method ?? '', url: request.url ?? '' });
  if (sold.status >= 400) {
    await paid.cancellationDispatcher.cancel({
      reason: 'handler_failed',
      responseStatus: sold.status,
    });
    return { ...sold, headers: {} };
  }
  const settled = await server.processSettlement(paid.paymentPayload, paid.paymentRequirements);
  if (settled.success) return { ...sold, headers: settled.headers };
  const { status, headers, body } = settled.response;
  return { status, headers, body: body ?? {} };
}

function adapterOf(request: IncomingMessage): HTTPAdapter {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  const header = (name: string): string | undefined => {
    const value = request.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    getHeader: header,
    getMethod: () => request.method ?? 'GET',
    getPath: () => url.pathname,
    getUrl: () => url.href,
    getAcceptHeader: () => header('accept') ?? '',
    getUserAgent: () => header('user-agent') ?? '',
  };
}
