import type { Session } from '@agent-wallet/sdk/owner';

type Status = Session['status'];

type StatusWords = {
  readonly label: string;
  readonly kind: 'neutral' | 'positive' | 'warning';
};

export const STATUS_WORDS: Readonly<Record<Status, StatusWords>> = {
  awaiting_owner_signature: { label: 'Waiting for your signature', kind: 'warning' },
  live: { label: 'Live', kind: 'positive' },
  expired: { label: 'Expired', kind: 'neutral' },
  revoked: { label: 'Revoked', kind: 'neutral' },
};

export const recipientsText = (count: number): string =>
  count === 0 ? 'No recipients' : `${count} ${count === 1 ? 'recipient' : 'recipients'}`;

export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(id)}`;
