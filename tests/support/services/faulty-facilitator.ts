import { FacilitatorTimeoutError, type FacilitatorClient } from '@x402/core/server';

/** The faults of a facilitator. */
export type FacilitatorFault =
  | 'none'
  /** Refuses, but sends the payment. */
  | 'submits after refusing'
  | 'refuses'
  /** The call to settle times out; the payment was not sent. */
  | 'times out before sending'
  /** The call to settle times out; the payment was sent. */
  | 'times out after sending'
  /** Sends the payment and replies that it is pending. */
  | 'says pending';

/** A facilitator in front of an honest one. */
export type FaultyFacilitator = FacilitatorClient & {
  /** Applies to each payment from now on. */
  fault: FacilitatorFault;
  /** Payments that it verified, base64, each once. */
  readonly seen: ReadonlySet<string>;
  /** Resolves when all sends that it made without the service's knowledge have ended. */
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
