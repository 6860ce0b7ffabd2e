import { BN, BorshAccountsCoder } from '@coral-xyz/anchor';
import { Keypair, PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import idl from '../../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { worstCase } from '../worst-case.ts';
import { decodeSession, decodeVault } from './decode-accounts.ts';

const HOUR = 3_600;
const coder = new BorshAccountsCoder(JSON.parse(JSON.stringify(idl)));
const fresh = () => Keypair.generate().publicKey;
const [owner, tokenAccount, vault, key] = [fresh(), fresh(), fresh(), fresh()];
const recipients = [fresh(), fresh(), ...Array<PublicKey>(8).fill(PublicKey.default)];
const encode = async (name: string, fields: object) =>
  Uint8Array.from(await coder.encode(name, fields));

const VAULT = {
  version: 2,
  bump: 255,
  max_deployed_fraction_bp: 2_500,
  paused: true,
  yield_bump: 254,
  reserved: [0, 0],
  deployed_amount: new BN('18446744073709551615'),
  next_session_index: new BN('65537'),
  owner,
  vault_token_account: tokenAccount,
  open_sessions: new BN(3),
};

test('a vault of either layout is read by the layout of the IDL', async () => {
  const data = await encode('Vault', VAULT);
  const expected = {
    layout_version: 2,
    max_deployed_fraction_bp: 2_500,
    paused: true,
    deployed_amount: 2n ** 64n - 1n,
    next_session_index: 65_537n,
    owner: owner.toBase58(),
    vaultUsdcAta: tokenAccount.toBase58(),
    open_sessions: 3n,
  };
  expect(decodeVault(data)).toEqual(expected);
  const first = (await encode('Vault', { ...VAULT, version: 1 })).slice(0, 96);
  expect(decodeVault(first)).toEqual({ ...expected, layout_version: 1, open_sessions: null });
});

const lastHour = 500_000;

async function session(): Promise<Uint8Array> {
  const buckets = Array.from({ length: 25 }, () => new BN(0));
  buckets[lastHour % 25] = new BN(70);
  buckets[(lastHour - 3) % 25] = new BN(30);
  return encode('Session', {
    version: 1,
    bump: 255,
    allowed_instructions: 5,
    recipients_count: 2,
    reserved: [0, 0, 0],
    index: new BN(65_536),
    max_per_tx: new BN(7),
    daily_cap: new BN(120),
    expiry: new BN((lastHour + 30) * HOUR),
    vault,
    session_pubkey: key,
    recipients,
    daily_spent: new BN(100),
    daily_window_start: new BN((lastHour - 3) * HOUR),
    last_seen: new BN(lastHour * HOUR + 5),
    buckets,
    highest_seq: new BN(2),
    bitmap: Array.from({ length: 4 }, () => new BN(0)),
  });
}

test('a session is read by the layout of the IDL, with its hours', async () => {
  const found = decodeSession('address', await session());
  expect(found).toEqual({
    session_pda: 'address',
    session_pubkey: key.toBase58(),
    session_index: 65_536n,
    vaultPda: vault.toBase58(),
    max_per_tx: 7n,
    daily_cap: 120n,
    expiry: (lastHour + 30) * HOUR,
    allowed_instructions: 5,
    allowed_recipients: recipients.slice(0, 2).map((one) => one.toBase58()),
    daily_spent_by_hour: [
      { hour: (lastHour - 3) * HOUR, amount: 30n },
      { hour: lastHour * HOUR, amount: 70n },
    ],
  });
  if (found === null) return;
  expect(worstCase(found, new Date(lastHour * HOUR * 1_000)).now).toBe(20n);
});

test('other bytes are neither', async () => {
  const data = await session();
  expect(decodeVault(data)).toBeNull();
  expect(decodeSession('address', await encode('Vault', VAULT))).toBeNull();
  expect(decodeSession('address', data.slice(0, 600))).toBeNull();
  expect(decodeVault(new Uint8Array(0))).toBeNull();
});
