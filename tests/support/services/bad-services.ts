import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The offer of an honest service. */
export type HonestOffer = {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly extra: Readonly<Record<string, unknown>>;
};

/**
 * A bad service and the expected verdict of the wallet: the reply has its code, the log its reason.
 */
export type BadService = {
  readonly serve: RequestListener;
  readonly is: 'unusable' | 'another payee or token' | 'another way to be paid';
};

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(402, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const requests = (...accepts: readonly unknown[]) => ({ x402Version: 2, accepts });

const unusable = (serve: RequestListener): BadService => ({ serve, is: 'unusable' });

/** Writes until the other side closes the connection. */
function flood(response: ServerResponse, piece: Buffer): void {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

/** Services that must not be paid, by name. Each differs from the honest one in one thing. */
export function badServices(honest: HonestOffer): Readonly<Record<string, BadService>> {
  const unusableOffer = (change: object): BadService =>
    unusable((_request, response) => json(response, requests({ ...honest, ...change })));
  const mismatching = (change: object): BadService => ({
    serve: (_request, response) => json(response, requests({ ...honest, ...change })),
    is: 'another payee or token',
  });
  return {
    'closes-at-once': unusable((request) => void request.socket.destroy()),
    'cuts-off': unusable((request, response) => {
      response.writeHead(402, { 'content-length': '100' });
      response.write('{"x402Version":2,', () => request.socket.destroy());
    }),
    'empty-402': unusable((_request, response) => void response.writeHead(402).end()),
    'page-402': unusable((_request, response) => {
      response.writeHead(402, { 'content-type': 'text/html' }).end('<h1>Payment Required</h1>');
    }),
    '402-of-1-mib': unusable((_request, response) => {
      json(response, { ...requests(honest), pad: 'a'.repeat(1_048_576) });
    }),
    'header-flood': unusable((_request, response) => {
      response.writeHead(402, { 'payment-required': 'A'.repeat(100_000) }).end();
    }),
    'gzip-bomb': unusable((_request, response) => {
      const bomb = gzipSync(Buffer.alloc(20_000_000));
      response.writeHead(402, { 'content-encoding': 'gzip' }).end(bomb);
    }),
    'endless-chunks': unusable((_request, response) => {
      response.writeHead(402, { 'content-type': 'application/json' });
      flood(response, Buffer.alloc(65_536, ' '));
    }),
    '1000-offers': unusable((_request, response) => {
      json(response, requests(...Array.from({ length: 999 }, () => ({})), honest));
    }),
    'invalid-utf8': unusable((_request, response) => {
      response.writeHead(402).end(Buffer.from('{"x402Version":2,"accepts":["\xff"]}', 'latin1'));
    }),
    nul: unusableOffer({ extra: { ...honest.extra, memo: 'a\u0000b' } }),
    'decimal-amount': unusableOffer({ amount: '0.01' }),
    'negative-amount': unusableOffer({ amount: '-1' }),
    'zero-amount': unusableOffer({ amount: '0' }),
    '2-to-the-64': unusableOffer({ amount: (2n ** 64n).toString() }),
    'number-amount': unusableOffer({ amount: 10_000 }),
    'two-amounts': unusableOffer({ maxAmountRequired: '1' }),
    'another-payee': mismatching({ payTo: '11111111111111111111111111111111' }),
    'another-mint': mismatching({ asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }),
    'another-network': mismatching({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
    'another-chain': mismatching({ network: 'eip155:8453' }),
    'another-scheme': mismatching({ scheme: 'upto' }),
    'version-1': {
      serve: (_request, response) => {
        const { amount, ...rest } = honest;
        json(response, { x402Version: 1, accepts: [{ ...rest, maxAmountRequired: amount }] });
      },
      is: 'another way to be paid',
    },
    'no-programs': {
      serve: (_request, response) => {
        const extra = { ...honest.extra, features: { smartWalletSupported: false } };
        json(response, requests({ ...honest, extra }));
      },
      is: 'another way to be paid',
    },
    mpp: {
      serve: (_request, response) => {
        response.writeHead(402, { 'www-authenticate': 'Payment id="1", method="solana"' }).end();
      },
      is: 'another way to be paid',
    },
  };
}
