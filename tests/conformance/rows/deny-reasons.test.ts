import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import { auditOf, newAddress, newOwner, newRecipient, transfer } from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
let poor: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(1_000_000n), newRecipient()]);
  poor = newAddress();
  session = await owner.createSession({
    recipients: [recipient, poor],
    maxPerTx: 1_000n,
    dailyCap: 1_500n,
  });
});

const newestReason = async ({ sessionId }: HttpSession): Promise<unknown> =>
  (await auditOf(owner, `session_id=${sessionId}&decision=deny&limit=1`))[0]?.['reason'];

row('deny.INSUFFICIENT_LIQUID', async () => {
  await transfer(session.apiKey, { recipient, amount: 2_000_000 });
  expect(await newestReason(session)).toBe('INSUFFICIENT_LIQUID');
});

row('deny.program-errors', async () => {
  const asked = [
    [{ recipient: newAddress(), amount: 1 }, 'RecipientNotAllowed'],
    [{ recipient, amount: 1_001 }, 'AmountExceedsMaxPerTx'],
    [{ recipient: poor, amount: 1 }, 'AccountNotInitialized'],
  ] as const;
  for (const [body, reason] of asked) {
    await transfer(session.apiKey, body);
    expect(await newestReason(session)).toBe(reason);
  }
  await transfer(session.apiKey, { recipient, amount: 1_000 });
  await transfer(session.apiKey, { recipient, amount: 501 });
  expect(await newestReason(session)).toBe('DailyCapExceeded');
  const without = await owner.createSession({ recipients: [recipient], allowedInstructions: 6 });
  await transfer(without.apiKey, { recipient, amount: 1 });
  expect(await newestReason(without)).toBe('InstructionNotAllowed');
});
