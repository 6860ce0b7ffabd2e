import type { AuditItem, ListedSpend } from '@agent-wallet/sdk/owner';
import { describe, expect, it } from 'vitest';
import { exportDecisions, exportSpends, MAX_EXPORTED } from './export-list.ts';

const SPEND: ListedSpend = {
  spend_id: '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57',
  session_id: '0190f5a4-7d3c-7e21-a6b4-2f9c0d1e3a57',
  kind: 'sign_payment',
  status: 'rejected',
  finalized: false,
  amount: 1_250_000n,
  recipient_or_url: 'https://api.example.com/a?b=1,2',
  tx_signature: null,
  error: 'on-chain submission failed',
  code: 'DailyCapExceeded',
  detail: null,
  created_at: '2026-11-23T03:00:00.000Z',
  settled_at: null,
};

const DECISION: AuditItem = {
  id: '0190f5a4-7d3c-7e21-a6b4-2f9c0d1e3a58',
  wallet_id: '0190f5a4-7d3c-7e21-a6b4-2f9c0d1e3a59',
  session_id: null,
  spend_id: null,
  correction: 0,
  action: 'owner_withdraw',
  amount: 1n,
  recipient: null,
  recipient_or_url: null,
  decision: 'allow',
  reason: null,
  detail: '=HYPERLINK("https://evil.example")',
  tx_signature: 'sig',
  detail_signature: null,
  created_at: '2026-11-23T03:00:00.000Z',
};

async function* listOf<Item>(...items: readonly Item[]) {
  for (const item of items) yield await Promise.resolve(item);
}

const lines = (csv: string) => csv.trimEnd().split('\r\n');

describe('the exported file', () => {
  it('has a spend with its amount in USDC and its reason in words', async () => {
    const { csv, count, isCut } = await exportSpends(listOf(SPEND));
    expect({ count, isCut }).toEqual({ count: 1, isCut: false });
    const [heading = '', row = ''] = lines(csv);
    expect(heading.split(',')).toHaveLength(12);
    expect(row).toContain(',sign_payment,rejected,1.25,"https://api.example.com/a?b=1,2",');
    expect(row).toContain('DailyCapExceeded,The amount did not fit into the daily cap');
  });

  it('has a decision, without a formula and without lamports that read as USDC', async () => {
    const swept = { ...DECISION, action: 'sweep_lamports', amount: 5_000n };
    const { csv } = await exportDecisions(listOf(DECISION, swept));
    const [, withdrawn = '', sweep = ''] = lines(csv);
    expect(withdrawn).toContain(',owner_withdraw,allow,0.000001,');
    expect(withdrawn).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(sweep).toContain(',sweep_lamports,allow,,');
  });

  it('is cut at its limit, says so, and reads no further', async () => {
    let read = 0;
    const endless = {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          read += 1;
          yield await Promise.resolve(SPEND);
        }
      },
    };
    const { csv, count, isCut } = await exportSpends(endless);
    expect({ count, isCut, read }).toEqual({
      count: MAX_EXPORTED,
      isCut: true,
      read: MAX_EXPORTED + 1,
    });
    expect(lines(csv)).toHaveLength(MAX_EXPORTED + 1);
    const whole = listOf(...Array.from({ length: MAX_EXPORTED }, () => SPEND));
    expect(await exportSpends(whole)).toMatchObject({ count: MAX_EXPORTED, isCut: false });
  });
});
