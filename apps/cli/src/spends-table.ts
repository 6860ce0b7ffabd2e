import { formatUsdc, type ListedSpend } from '@agent-wallet/sdk';
import { Option } from 'commander';
import { z } from 'zod';

const STATUSES = ['pending', 'confirmed', 'rejected'] as const;
const KINDS = [
  'transfer',
  'sign_payment',
  'pay_service',
  'yield_deposit',
  'yield_withdraw',
] as const;

/** The filters and columns of a list of spends, for owners and agents. */
export const STATUS_OPTION = new Option('--status <status>', STATUSES.join(', '));
export const KIND_OPTION = new Option('--kind <kind>', KINDS.join(', '));

export const spendStatus = z
  .enum(STATUSES, { error: `must be one of ${STATUSES.join(', ')}` })
  .optional();
export const spendKind = z.enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` }).optional();

export const SPENDS_HEAD = [
  'ACCEPTED',
  'STATUS',
  'KIND',
  'USDC',
  'RECIPIENT OR URL',
  'REFUSED',
  'SPEND',
];

export const spendCells = (spend: ListedSpend): readonly string[] => [
  spend.created_at,
  spend.status,
  spend.kind,
  formatUsdc(spend.amount),
  spend.recipient_or_url ?? '',
  spend.code ?? '',
  spend.spend_id,
];
