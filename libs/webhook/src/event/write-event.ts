import type { webhookDeliveryAnswer } from '@agent-wallet/contract';
import type { z } from 'zod';

type EventToWrite = {
  readonly type: z.output<typeof webhookDeliveryAnswer>['type'];
  /** When it happened. */
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
};

/** The body of an event as it is sent and signed: `type`, `timestamp` and `data`. */
export const writeEvent = ({ type, at, data }: EventToWrite): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data });
