import { listAudit, verifyAudit } from '@agent-wallet/audit';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';

const system = useSystem({
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
});
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

test.concurrent('an accepted transfer is signed, sent, landed once, confirmed and audited', async () => {
  const wallet = await fixture.createWallet(10_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  const spendId = await fixture.request(wallet, session, { recipient, amount: 250_000n });
  const [spend] = await fixture.settled([spendId]);
  expect(spend).toMatchObject({ attempt: 1, code: null, spendSeq: 1n });
  expect(['confirmed', 'finalized']).toContain(spend?.status);
  const { addresses } = fixture.program;
  expect(await fixture.balance(addresses.usdcAta(recipient))).toBe(250_000n);
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(9_750_000n);
  const rows = await listAudit(fixture.db, { walletId: wallet.walletId, limit: 10 });
  const decision = rows.find((row) => row.spendId === spendId);
  expect(decision).toMatchObject({
    action: 'transfer',
    decision: 'allow',
    amount: 250_000n,
    recipient,
    txSignature: spend?.txSignature,
  });
  expect(await verifyAudit(fixture.db, wallet.walletId)).toMatchObject({ kind: 'intact' });
});

test.concurrent('a refusal by the program in preflight settles the spend with the program’s words', async () => {
  const wallet = await fixture.createWallet(10_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  const stranger = Keypair.generate().publicKey.toBase58();
  const spendIds = await Promise.all([
    fixture.request(wallet, session, { recipient: stranger, amount: 1n }),
    fixture.request(wallet, session, { recipient, amount: 1_000_001n }),
  ]);
  const spends = await fixture.settled(spendIds);
  const codeOf = (id: string | undefined): string | null | undefined =>
    spends.find(({ spendId }) => spendId === id)?.code;
  expect(spends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(codeOf(spendIds[0])).toBe('RecipientNotAllowed');
  expect(codeOf(spendIds[1])).toBe('AmountExceedsMaxPerTx');
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(10_000_000n);
});

test.concurrent.each(['sign_payment', 'pay_service'] as const)(
  'a %s is a transfer to the service, and the log names its URL',
  async (kind) => {
    const wallet = await fixture.createWallet(10_000_000n);
    const service = await fixture.createRecipient();
    const session = await fixture.createSession(wallet, { recipients: [service] });
    const url = 'https://service.example/answers';
    const request = { recipient: service, amount: 40_000n, kind, url };
    const spendId = await fixture.request(wallet, session, request);
    const [spend] = await fixture.settled([spendId]);
    expect(['confirmed', 'finalized']).toContain(spend?.status);
    const serviceAccount = fixture.program.addresses.usdcAta(service);
    expect(await fixture.balance(serviceAccount)).toBe(40_000n);
    const rows = await listAudit(fixture.db, { walletId: wallet.walletId, limit: 10 });
    expect(rows.find((row) => row.spendId === spendId)).toMatchObject({
      action: kind,
      decision: 'allow',
      recipient: service,
      recipientOrUrl: url,
      txSignature: spend?.txSignature,
    });
  },
);
