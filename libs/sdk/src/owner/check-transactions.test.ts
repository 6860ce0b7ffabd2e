/** Transactions as the API builds them, whole and with each part changed. */
import { ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, it, test } from 'vitest';
import {
  changed,
  compiled,
  partsOf,
  SIGNED_BYTES,
  unsigned,
} from '../../fixtures/changed-transaction.ts';
import {
  built,
  chainLimits,
  checks,
  expected,
  type Kind,
  kinds,
  limits,
  named,
  NOW,
  owner,
  real,
  reserve,
  session,
  stranger,
} from '../../fixtures/owner-kinds.ts';
import { isAgentWalletError } from '../http/agent-wallet-error.ts';
import { fromBase64 } from './chain/base64.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const REFUSED = { code: 'TRANSACTION_MISMATCH' } as const;
const payer = new PublicKey(owner);
const transfer = SystemProgram.transfer({
  fromPubkey: payer,
  toPubkey: new PublicKey(stranger),
  lamports: 1,
});

/** Those of the transactions that are not refused, and null when there are none to refuse. */
async function passing(check: Kind['check'], transactions: readonly string[]) {
  const codes = await Promise.all(
    transactions.map((tx) =>
      check(tx).then(
        () => tx,
        (error: unknown) => (isAgentWalletError(error, REFUSED.code) ? null : error),
      ),
    ),
  );
  return transactions.length === 0 ? null : codes.filter((code) => code !== null);
}

describe.each(kinds)('a transaction to $name', (tried) => {
  const { build, check, unchecked, isFirstOptional = false } = tried;

  it('passes as the API builds it', async () => {
    const tx = await build();
    const { bytes, instructions } = await check(tx);
    expect(Buffer.from(bytes).toString('base64')).toBe(tx);
    expect(instructions.length).toBe(partsOf(tx).instructions.length);
    // The change of nothing is no change: the other tests refuse what they mean to.
    await expect(check(changed(tx, () => {}))).resolves.toMatchObject({ instructions });
    await expect(check(compiled(tx, (own) => own))).resolves.toMatchObject({ instructions });
  });

  it('is refused with any other address in it', async () => {
    const tx = await build();
    const { keys } = partsOf(tx);
    const replaceable = keys.filter((key) => key !== unchecked);
    const changes = replaceable.map((key) =>
      changed(tx, (parts) => void parts.keys.splice(parts.keys.indexOf(key), 1, stranger)),
    );
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused with any account of an instruction exchanged, left out or added', async () => {
    const tx = await build();
    const { keys, instructions } = partsOf(tx);
    const places = instructions.flatMap(({ accounts }, i) =>
      accounts.map((_account, at) => [i, at] as const),
    );
    const changes = [
      ...places.map(([i, at]) =>
        changed(tx, ({ instructions: all }) => {
          const list = all[i]?.accounts ?? [];
          list[at] = ((list[at] ?? 0) + 1) % keys.length;
        }),
      ),
      ...places.map(([i, at]) =>
        changed(tx, ({ instructions: all }) => void all[i]?.accounts.splice(at, 1)),
      ),
      ...instructions.map((_, i) =>
        changed(tx, ({ instructions: all }) => void all[i]?.accounts.push(0)),
      ),
    ];
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused with another program, also one that it names for another reason', async () => {
    const tx = await build();
    const { keys, instructions } = partsOf(tx);
    const changes = instructions.flatMap(({ program: own }, i) =>
      [...keys.keys()]
        .filter((key) => key !== own)
        .map((key) =>
          changed(tx, ({ instructions: all }) => {
            const one = all[i];
            if (one !== undefined) one.program = key;
          }),
        ),
    );
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused with any byte of its arguments changed, missing or added', async () => {
    const tx = await build();
    const { instructions } = partsOf(tx);
    const { instructions: decoded } = await check(tx);
    const changes = instructions.flatMap(({ data }, i) => {
      // The deadline is the last argument; an earlier one is accepted.
      const fixed = data.length - (decoded[i]?.args['deadline'] === undefined ? 0 : 8);
      return [
        ...Array.from({ length: fixed }, (_, at) =>
          changed(tx, ({ instructions: all }) => {
            const bytes = all[i]?.data;
            if (bytes !== undefined) bytes[at] = (bytes[at] ?? 0) ^ 1;
          }),
        ),
        ...[data.subarray(0, -1), Uint8Array.from([...data, 0])].map((other) =>
          changed(tx, ({ instructions: all }) => {
            const one = all[i];
            if (one !== undefined) one.data = other;
          }),
        ),
      ];
    });
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused with an instruction added, repeated, missing or moved', async () => {
    const tx = await build();
    const fee = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    const nonce = SystemProgram.nonceAdvance({
      noncePubkey: new PublicKey(stranger),
      authorizedPubkey: payer,
    });
    const changes = [
      ...[transfer, fee, nonce].flatMap((one) => [
        compiled(tx, (own) => [...own, one]),
        compiled(tx, (own) => [one, ...own]),
      ]),
      compiled(tx, (own) => [...own, ...own]),
      ...(isFirstOptional ? [] : [compiled(tx, (own) => own.slice(1))]),
      ...(partsOf(tx).instructions.length > 1 ? [compiled(tx, (own) => own.toReversed())] : []),
    ];
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused with other rights or an account that it does not need', async () => {
    const tx = await build();
    const { numReadonlyUnsignedAccounts: readonly } = partsOf(tx).header;
    const changes = [
      changed(tx, ({ header }) => void (header.numReadonlyUnsignedAccounts = readonly - 1)),
      changed(tx, ({ header }) => void (header.numReadonlyUnsignedAccounts = readonly + 1)),
      changed(tx, ({ header }) => void (header.numReadonlySignedAccounts = 1)),
      changed(tx, ({ header }) => void (header.numRequiredSignatures = 2)),
      changed(tx, ({ header, keys }) => {
        header.numReadonlyUnsignedAccounts += 1;
        keys.push(stranger);
      }),
    ];
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused when it is cut, longer, versioned, signed, or for two signers', async () => {
    const tx = await build();
    const bytes = fromBase64(tx);
    const message = bytes.subarray(SIGNED_BYTES);
    const versioned = Uint8Array.from([0x80, ...message, 0]);
    const signed = Uint8Array.from(bytes);
    signed[1] = 1;
    const changes = [
      ...Array.from(bytes, (_, length) => text(bytes.subarray(0, length))),
      text(Uint8Array.from([...bytes, 0])),
      text(new Uint8Array(1_233)),
      unsigned(versioned),
      text(signed),
      text(Uint8Array.from([2, ...new Uint8Array(128), ...message])),
    ];
    expect(await passing(check, changes)).toEqual([]);
  });

  it('is refused for another owner', async () => {
    const tx = await build();
    const changes = [changed(tx, ({ keys }) => void keys.splice(0, 1, stranger))];
    expect(await passing(check, changes)).toEqual([]);
  });
});

const TEN_MINUTES = 600n;

/** Resumes a vault by this time. */
const resumedBy = (deadline: bigint): Promise<string> =>
  built(Number(deadline - TEN_MINUTES) * 1_000).setPaused(owner, false);

describe('a deadline', () => {
  it('may be 15 minutes from now, and is refused a second later', async () => {
    const wanted = expected.setPaused(false);
    const latest = NOW + 900n;
    expect(checks.check(await resumedBy(latest), wanted).instructions).toEqual([
      { name: 'set_paused', args: { paused: false, deadline: latest } },
    ]);
    for (const deadline of [latest + 1n, latest * 2n]) {
      const tx = await resumedBy(deadline);
      expect(() => checks.check(tx, wanted)).toThrow(
        /set_paused: deadline is \d+, more than 15 minutes after 1800000000/,
      );
    }
  });
});

test('the first difference is named with what was found and what was asked for', async () => {
  const tx = await real.updateLimits(owner, named, { ...chainLimits, dailyCap: 9n });
  expect(() => checks.check(tx, expected.updateLimits(session, limits))).toThrow(
    /update_session_limits: daily_cap is 9, expected 18446744073709551615/,
  );
});

test('a session with another key is another session', async () => {
  const other = await checks.session(stranger, named.sessionIndex);
  const tx = await real.revokeSession(owner, named);
  expect(() => checks.check(tx, expected.revokeSession(other))).toThrow(/account session is/);
});

test('a vault without a share for yield is not prepared for it', async () => {
  const tx = await real.initVault(owner, 0, reserve);
  await expect(checks.checkInitVault(tx, 0)).rejects.toMatchObject(REFUSED);
  const share = await real.setMaxDeployedFraction(owner, 0, reserve);
  await expect(checks.checkMaxDeployedFraction(share, 0)).rejects.toMatchObject(REFUSED);
});

test('the collateral of a withdrawal may be unknown, its amount may not', async () => {
  const amounts = { amount: 7n, collateralAmount: 6n };
  const tx = await real.yieldWithdraw(owner, reserve, amounts);
  const accounts = await checks.reserve();
  const { instructions } = checks.check(tx, expected.yieldWithdraw(7n, accounts, null));
  expect(instructions[0]?.args).toMatchObject({ amount: 7n, collateral_amount: 6n });
  expect(() => checks.check(tx, expected.yieldWithdraw('all', accounts, null))).toThrow(
    /yield_withdraw: amount is 7/,
  );
});
