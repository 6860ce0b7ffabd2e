import { FacilitatorTimeoutError, type FacilitatorClient } from '@x402/core/server';

/** What a facilitator does instead of its job. */
export type FacilitatorFault =
  | 'none'
  /** Refuses, and sends the payment all the same. */
  | 'submits after refusing'
  | 'refuses'
  /** Answers the order to settle with silence; the payment was not sent. */
  | 'times out before sending'
  /** The same, and the payment was sent. */
  | 'times out after sending'
  /** Sent it, and says that it does not know yet. */
  | 'says pending';

/** A facilitator in front of an honest one. */
export type FaultyFacilitator = FacilitatorClient & {
  /** Said of every payment from now on. */
  fault: FacilitatorFault;
  /** Payments that it was asked to check, base64, each once. */
  readonly seen: ReadonlySet<string>;
  /** Done when everything that it sends behind the service's back is sent. */
  quiet(): Promise<void>;
};

/** Behaves like `honest` until `fault` is set. */
export function createFaultyFacilitator(honest: FacilitatorClient): FaultyFacilitator {
  const seen = new Set<string>();
  const behindBacks: Promise<unknown>[] = [];
  const faulty: FaultyFacilitator = {
    fault: 'none',
    seen,
    quiet: async () => {
      await Promise.all(behindBacks);
    },
    getSupported: () => honest.getSupported(),
    verify: async (payload, requirements) => {
      seen.add(String(payload.payload['transaction']));
      switch (faulty.fault) {
        case 'refuses':
          return { isValid: false, invalidReason: 'not today', payer: '' };
        case 'submits after refusing':
          behindBacks.push(honest.settle(payload, requirements));
          return { isValid: false, invalidReason: 'not today', payer: '' };
        default:
          return honest.verify(payload, requirements);
      }
    },
    settle: async (payload, requirements) => {
      switch (faulty.fault) {
        case 'times out before sending':
          throw new FacilitatorTimeoutError('settle', 1);
        case 'times out after sending':
          await honest.settle(payload, requirements);
          throw new FacilitatorTimeoutError('settle', 1);
        case 'says pending': {
          const settled = await honest.settle(payload, requirements);
          const { transaction, network } = settled;
          return { success: false, errorReason: 'settlement_pending', transaction, network };
        }
        default:
          return honest.settle(payload, requirements);
      }
    },
  };
  return faulty;
}
