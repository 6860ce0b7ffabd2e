import { describe, expect, it } from 'vitest';
import { addSession, initYield, setMaxDeployedFraction, yieldDeposit } from '../support/calls.ts';
import { attempt, type Call, run } from '../support/call.ts';
import { getAccount, keypair, PROGRAM_ID, setTokenAccount } from '../support/chain.ts';
import { fullWorld, inFullWorld, makeReceiver } from '../support/every-instruction.ts';
import { sessionAddress, strangersWorld, VAULT_BALANCE, type World } from '../support/world.ts';

describe('two wallets on one chain', () => {
  it.each(inFullWorld)(
    "%s is refused with every mix of their accounts and arguments without the victim's keys",
    (_, make) => {
      const { attacker, victim } = twoWallets();
      const before = stateOf(victim);
      const own = make(attacker);
      const others = make(victim);
      const differing = own.accounts.filter(
        (meta, place) => !others.accounts[place]?.pubkey.equals(meta.pubkey),
      );
      expect(differing.length).toBeGreaterThan(1);
      const mixes = subsets(differing.map(({ name }) => name)).flatMap((names) => {
        const mix = mixed(own, others, new Set(names));
        // An attacker also knows the indexes and bumps that fit the accounts of the victim.
        return [mix, { ...mix, args: others.args }].map((call) => ({ names, call }));
      });
      const passed = mixes.filter(({ call }) => {
        const { failed, logs } = attempt(attacker, call);
        const refusal = `Program ${PROGRAM_ID.toBase58()} failed`;
        return !failed || !logs.some((line) => line.startsWith(refusal));
      });
      expect(passed.map(({ names }) => names)).toEqual([]);
      expect(stateOf(victim)).toEqual(before);
    },
    60_000,
  );

  it.each(inFullWorld)("%s passes in the attacker's own wallet", (_name, make) => {
    const { attacker } = twoWallets();
    expect(attempt(attacker, make(attacker)).logs.at(-1)).toBe(
      `Program ${PROGRAM_ID.toBase58()} success`,
    );
  });
});

/** The attacker's call with some accounts of the victim, without the victim's keys. */
function mixed(own: Call, others: Call, names: ReadonlySet<string>): Call {
  const accounts = own.accounts.map((meta, place) => {
    const other = others.accounts[place];
    if (!names.has(meta.name) || other === undefined) return meta;
    return { ...meta, pubkey: other.pubkey, isSigner: false };
  });
  const signers = own.signers.filter((key) =>
    accounts.some(({ isSigner, pubkey }) => isSigner && pubkey.equals(key.publicKey)),
  );
  return { ...own, accounts, signers };
}

/** Every subset but the empty one. */
function subsets(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, place) =>
    names.filter((_name, bit) => (((place + 1) >> bit) & 1) === 1),
  );
}

/** Two wallets, each with an unrestricted session and money both deployed and liquid. */
function twoWallets(): { readonly attacker: World; readonly victim: World } {
  const victim = fullWorld();
  const stranger = strangersWorld(victim);
  const sessionKey = keypair('session of the attacker');
  const attacker = {
    ...stranger,
    sessionKey,
    session: sessionAddress(stranger.vault, sessionKey.publicKey),
    recipient: keypair('recipient of the attacker').publicKey,
  };
  setTokenAccount(attacker.svm, attacker.vault, VAULT_BALANCE);
  makeReceiver(attacker);
  setTokenAccount(attacker.svm, attacker.recipient, 0n);
  run(attacker, addSession(attacker, { allowed_instructions: 7 }));
  run(attacker, setMaxDeployedFraction(attacker, 10_000), initYield(attacker));
  run(attacker, yieldDeposit(attacker, { amount: 99n }));
  return { attacker, victim };
}

function stateOf(world: World): readonly unknown[] {
  const { vault, session, vaultTokenAccount, transit, collateral } = world;
  return [vault, session, vaultTokenAccount, transit, collateral].map((address) =>
    getAccount(world.svm, address),
  );
}
