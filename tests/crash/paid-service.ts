/** A service of standard x402 with its facilitator. */
import { Keypair } from '@solana/web3.js';
import { z } from 'zod';
import type { Egress, EgressAnswer } from '@agent-wallet/egress';
import type { ChainDouble } from '../support/chain/chain-double.ts';
import { createFacilitatorKey } from '../support/chain/facilitator-key.ts';

/**
 * How the service treats a payment: settles it and answers; settles it without an answer; refuses
 * it; refuses it and settles it later; sends it to the chain without preflight.
 */
type Conduct = 'settles' | 'stays silent' | 'refuses' | 'settles later' | 'checks nothing';

export type PaidService = {
  conduct: Conduct;
  readonly feePayer: string;
  /** Stands in for the api's client for services. */
  readonly egress: Egress;
  /** Settles the refused payments. */
  settleHeld(): Promise<void>;
};

const header = z.object({ payload: z.object({ transaction: z.base64() }) });

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

const answered = (status: number, paymentResponse: unknown): EgressAnswer => ({
  kind: 'answered',
  status,
  headers: { 'payment-response': encoded(paymentResponse) },
  body: Buffer.from('{}'),
});

const refused = (errorReason: string): EgressAnswer =>
  answered(402, { success: false, errorReason, transaction: '' });

export function createPaidService(chain: ChainDouble): PaidService {
  const facilitator = createFacilitatorKey(chain, Keypair.generate());
  const held: Uint8Array[] = [];

  async function take(wire: Uint8Array): Promise<EgressAnswer> {
    switch (service.conduct) {
      case 'refuses':
        return refused('for the test');
      case 'settles later':
        held.push(wire);
        return refused('for the test');
      case 'settles':
      case 'stays silent':
      case 'checks nothing': {
        const skipPreflight = service.conduct === 'checks nothing';
        const settled = await facilitator.settle(wire, { skipPreflight }).catch(() => null);
        // Bytes that have landed cannot be settled twice.
        if (settled === null) return refused('duplicate_settlement');
        if (service.conduct !== 'stays silent') {
          return answered(200, { success: true, transaction: settled });
        }
        return { kind: 'failed', reason: 'timeout', detail: 'for the test' };
      }
    }
  }

  const service: PaidService = {
    conduct: 'settles',
    feePayer: facilitator.address,
    egress: async ({ headers }) => {
      const text = Buffer.from(headers['payment-signature'] ?? '', 'base64').toString('utf8');
      const { payload } = header.parse(JSON.parse(text));
      return take(Buffer.from(payload.transaction, 'base64'));
    },
    settleHeld: async () => {
      for (const wire of held) await facilitator.settle(wire);
    },
  };
  return service;
}
