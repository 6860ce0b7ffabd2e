import { webhookEvent } from '@agent-wallet/contract';
import { describe, expect, it } from 'vitest';

import { EVENTS } from './event-names.ts';
import { EMPTY_FORM, readForm, toggleEvent } from './webhook-form.ts';

const URL_OF_OWNER = 'https://hooks.example.com/wallet';
const faultsOf = (change: Partial<typeof EMPTY_FORM>) => {
  const read = readForm({ ...EMPTY_FORM, url: URL_OF_OWNER, ...change });
  return read.kind === 'refused' ? read.faults : null;
};

describe('the form of a webhook', () => {
  it('offers every event of the API', () => {
    expect(EVENTS).toEqual(webhookEvent.options);
  });

  it('becomes a request with a threshold in base units, where one is needed', () => {
    const events = new Set(['spend.settled', 'wallet.low_balance'] as const);
    const form = { url: ` ${URL_OF_OWNER} `, events, threshold: '5' };
    expect(readForm(form)).toEqual({
      kind: 'request',
      request: { url: URL_OF_OWNER, events: [...events], low_balance_below: 5_000_000n },
    });
    expect(readForm({ ...EMPTY_FORM, url: URL_OF_OWNER, threshold: 'x' })).toMatchObject({
      request: { low_balance_below: null },
    });
  });

  it('takes an event in and out', () => {
    const without = toggleEvent(EMPTY_FORM, 'spend.settled');
    expect([...without.events]).toEqual(['spend.refused']);
    expect([...toggleEvent(without, 'spend.settled').events]).toEqual([
      'spend.refused',
      'spend.settled',
    ]);
  });

  it('says what is missing', () => {
    expect(faultsOf({ url: 'http://hooks.example.com' })?.url).toBe('Enter an https URL.');
    expect(faultsOf({ events: new Set() })?.events).toBe('Choose at least one event.');
    const events = new Set(['wallet.low_balance'] as const);
    expect(faultsOf({ events, threshold: '0' })?.threshold).toMatch(/above 0/);
    expect(faultsOf({ events, threshold: '' })?.threshold).toMatch(/above 0/);
    expect(faultsOf({})).toBeNull();
  });
});
