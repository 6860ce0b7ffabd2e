import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordDenialsOf } from '@agent-wallet/audit';
import { createWalletProgram } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { headsCommand } from '../../apps/cli/src/operator/audit/heads-command.ts';
import { verifyCommand } from '../../apps/cli/src/operator/audit/verify-command.ts';
import { forgeLog, hashAnew } from '../support/database/forge-log.ts';
import { newAddress } from '../support/database/made-up-spends.ts';
import { openSpendRows, type RowSession, type SpendRows } from '../support/database/spend-rows.ts';

const DEPLOYMENT = {
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
const { addresses } = createWalletProgram(DEPLOYMENT);
const folder = mkdtempSync(join(tmpdir(), 'audit-heads-'));
const file = join(folder, 'heads.json');
afterAll(() => rm(folder, { recursive: true }));

let rows: SpendRows;
let session: RowSession;
let other: RowSession;
beforeEach(async () => {
  rows = await openSpendRows();
  session = await createSession();
  other = await createSession();
  await refuse(session, 'NOT_WHITELISTED');
  await refuse(session, 'EXCEEDS_DAILY_CAP');
  await refuse(other, 'NOT_WHITELISTED');
  await writeFile(file, await headsText());
  // What came after the file was kept is not protected by it, and does not hurt it.
  await refuse(session, 'OUTSIDE_TIME_WINDOW');
});
afterEach(() => rows[Symbol.asyncDispose]());

async function createSession(): Promise<RowSession> {
  const created = await rows.createSession();
  const owner = newAddress();
  const vaultPda = addresses.vaultPda(owner);
  await rows.db.query(sql.unsafe`
    update wallet set owner = ${owner}, vault_pda = ${vaultPda},
      vault_usdc_ata = ${addresses.usdcAta(vaultPda)}
    where wallet_id = ${created.walletId}::uuid
  `);
  return created;
}

const refuse = ({ walletId, sessionId }: RowSession, reason: string): Promise<void> =>
  recordDenialsOf(rows.db, walletId, [
    {
      walletId,
      sessionId,
      action: 'transfer',
      amount: 1n,
      recipient: null,
      recipientOrUrl: null,
      reason,
      detail: null,
    },
  ]);

const config = (change = {}) => ({
  databaseUrl: rows.url,
  ...DEPLOYMENT,
  rpcUrls: null,
  ...change,
});

async function headsText(): Promise<string> {
  return String((await headsCommand(config())).text);
}

async function verify(against: string | null = file, walletId: string | null = null) {
  const { exitCode, text } = await verifyCommand(config(), walletId, against);
  return { exitCode, line: String(text) };
}

describe('the heads of the audit chains', () => {
  test('are one line for each wallet, and the JSON value of --json', async () => {
    const { text, json } = await headsCommand(config());
    expect(JSON.parse(String(text))).toEqual(json);
    const lines = String(text).split('\n').slice(1, -1);
    expect(lines).toHaveLength(2);
    expect(lines.toSorted((one) => (one.includes('"seq":1,') ? -1 : 1))).toEqual([
      expect.stringContaining(`{"wallet_id":"${other.walletId}","seq":1,"hash":"`),
      expect.stringContaining(`{"wallet_id":"${session.walletId}","seq":3,"hash":"`),
    ]);
  });

  test('are in chains that have only grown', async () => {
    const { exitCode, line } = await verify();
    expect(line).toMatch(/^all equal: wallets 2, log rows 4; .*all 2 heads of .* in their chains$/);
    expect(exitCode).toBe(0);
    expect(await verify(file, other.walletId)).toMatchObject({ exitCode: 0 });
  });
});

const rewritten = async (): Promise<void> => {
  await forgeLog(rows.db, [
    sql.unsafe`update audit set reason = 'EXPIRED_UNSENT'
      where wallet_id = ${session.walletId}::uuid and seq = 1`,
  ]);
  await hashAnew(rows.db, session.walletId);
};
const cut = (): Promise<void> =>
  forgeLog(rows.db, [
    sql.unsafe`delete from audit where wallet_id = ${session.walletId}::uuid and seq > 1`,
    sql.unsafe`update wallet set audit_seq = 1,
        audit_head = (select hash from audit where audit.wallet_id = wallet.wallet_id)
      where wallet_id = ${session.walletId}::uuid`,
  ]);
/** The rows behind the new end stay, with their hashes. */
const shortened = (): Promise<void> =>
  forgeLog(rows.db, [
    sql.unsafe`update wallet set audit_seq = 1, audit_head = (select hash from audit
        where audit.wallet_id = wallet.wallet_id and seq = 1)
      where wallet_id = ${session.walletId}::uuid`,
    sql.unsafe`update audit set reason = 'EXPIRED_UNSENT'
      where wallet_id = ${session.walletId}::uuid and seq = 3`,
  ]);
const removed = (): Promise<void> =>
  forgeLog(
    rows.db,
    ['audit', 'api_key', 'lane', 'session', 'wallet'].map(
      (table) => sql.unsafe`delete from ${sql.identifier([table])}
        where wallet_id = ${session.walletId}::uuid`,
    ),
  );

describe('what the owner of the database rewrote', () => {
  test.each([
    ['a refusal under new hashes', rewritten, /: the hash is [0-9a-f]{64}, and was [0-9a-f]{64}$/],
    ['the end of a log', cut, /: the log ends at row 1$/],
    ['the length of a log', shortened, /: the log ends at row 1$/],
    ['a wallet with all its rows', removed, /: the wallet is gone$/],
  ])('%s is found by the heads alone, with wallet and row', async (_what, forge, why) => {
    await forge();
    expect(await verify(null)).toMatchObject({ exitCode: 0 });
    const { exitCode, line } = await verify();
    expect(line).toMatch(why);
    expect(line).toContain(`wallet ${session.walletId}: log row 2 is not that of 20`);
    expect(exitCode).toBe(1);
  });

  test('behind the heads is not found, until heads are kept again', async () => {
    await forgeLog(rows.db, [
      sql.unsafe`update audit set reason = 'EXPIRED_UNSENT'
        where wallet_id = ${session.walletId}::uuid and seq = 3`,
    ]);
    const later = join(folder, 'later.json');
    await writeFile(later, await headsText());
    await hashAnew(rows.db, session.walletId);
    expect(await verify()).toMatchObject({ exitCode: 0 });
    expect(await verify(later)).toMatchObject({ exitCode: 1 });
  });
});

describe('a file of heads is refused', () => {
  test.each([
    ['that does not exist', null, /missing\.json cannot be read: ENOENT/],
    ['that is no JSON', 'heads', /is not a file of "agent-wallet audit heads".*no JSON object/],
    ['with a head without a hash', { hash: '' }, /"heads\.0\.hash" is wrong/],
    ['of another program', { program: newAddress() }, /belongs to another chain, program or mint/],
  ])('%s', async (_what, content, message) => {
    const path = join(folder, content === null ? 'missing.json' : 'refused.json');
    const kept = await headsText();
    if (typeof content === 'string') await writeFile(path, content);
    else if (content !== null) {
      const changed = kept
        .replace(/"hash":"\w+"/, 'hash' in content ? `"hash":"${content.hash}"` : '$&')
        .replace(DEPLOYMENT.programId, 'program' in content ? content.program : '$&');
      await writeFile(path, changed);
    }
    await expect(verify(path)).rejects.toThrow(message);
  });

  test('that has no head of the wallet', async () => {
    const { walletId } = await createSession();
    await expect(verify(file, walletId)).rejects.toThrow(`has none of wallet ${walletId}`);
  });
});
