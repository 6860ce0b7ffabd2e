import type { Session } from '@agent-wallet/sdk/owner';
import { shortAddress } from '../../design/controls/copyable.tsx';

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

/** What people see of a session's name: the start of its key, or its address. */
export const sessionName = ({
  key_prefix,
  session_pda,
}: Pick<Session, 'key_prefix' | 'session_pda'>): string =>
  key_prefix === null ? shortAddress(session_pda) : `${key_prefix}…`;

export const recipientsText = (count: number): string =>
  count === 0 ? 'No recipients' : `${count} ${count === 1 ? 'recipient' : 'recipients'}`;

export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(id)}`;
