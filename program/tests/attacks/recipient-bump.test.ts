import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, run } from '../support/call.ts';
import { both, replaced, withArgs } from '../support/mutators.ts';
import { transferUsdc } from '../support/calls.ts';
import { getAccount, keypair, tokenAddress, tokenBump, USDC_MINT } from '../support/chain.ts';
import { expectError } from '../support/expect.ts';
import { paid, type World, worldWithSession } from '../support/world.ts';

describe('the bump in a transfer', () => {
  it('is the one of the token account of the recipient, and no other', () => {
    const world = worldWithSession();
    const right = tokenBump(world.recipient);
    for (let bump = 0; bump <= 255; bump += 1) {
      if (bump === right) continue;
      const call = transferUsdc(world, { recipient_bump: bump });
      expectError(attempt(world, call), 'ConstraintAssociated', 'recipient_token_account');
    }
    expect(paid(world)).toBe(0n);
    run(world, transferUsdc(world));
    expect(paid(world)).toBe(10n);
  });

  it('pays recipients whose bump is far below 255', () => {
    const recipient = recipientWithBump((bump) => bump <= 248);
    const world = worldWithSession({ recipients: [recipient] });
    const other = { ...world, recipient };
    run(world, createAccount(world, recipient, tokenAddress(recipient)));
    run(other, transferUsdc(other));
    expect(paid(other)).toBe(10n);
  });
});

describe('an address of the recipient with a lower bump than the canonical one', () => {
  const world = worldWithSession();
  const { recipient } = world;
  const lower = lowerBumps(recipient, tokenBump(recipient));

  it.each(lower)('stays without a token account (%s of 255)', (bump, address) => {
    for (const create of [createAccount, createNewAccount]) {
      const outcome = attempt(world, create(world, recipient, address));
      expect(outcome.failed).toBe(true);
      expect(outcome.logs.join('\n')).toContain('does not match seed derivation');
    }
    expect(getAccount(world.svm, address)).toBeNull();
    const call = both(
      replaced('recipient_token_account', () => address),
      withArgs({ recipient_bump: bump }),
    )(transferUsdc(world), world);
    expectError(attempt(world, call), 'AccountNotInitialized', 'recipient_token_account');
  });
});

function seedsOf(wallet: PublicKey): Buffer[] {
  return [wallet, TOKEN_PROGRAM_ID, USDC_MINT].map((key) => key.toBuffer());
}

/** The next three bumps below `bump` whose addresses are off the curve, with these addresses. */
function lowerBumps(wallet: PublicKey, bump: number): readonly (readonly [number, PublicKey])[] {
  const found: (readonly [number, PublicKey])[] = [];
  for (let next = bump - 1; found.length < 3; next -= 1) {
    try {
      const seeds = [...seedsOf(wallet), Buffer.of(next)];
      found.push([next, PublicKey.createProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID)]);
    } catch {
      // On the curve.
    }
  }
  return found;
}

function recipientWithBump(isWanted: (bump: number) => boolean): PublicKey {
  for (let place = 0; ; place += 1) {
    const { publicKey } = keypair(`a recipient ${place}`);
    if (isWanted(tokenBump(publicKey))) return publicKey;
  }
}

function createAccount({ payer }: World, wallet: PublicKey, address: PublicKey) {
  const parts = [payer.publicKey, address, wallet, USDC_MINT] as const;
  return createAssociatedTokenAccountIdempotentInstruction(...parts);
}

function createNewAccount({ payer }: World, wallet: PublicKey, address: PublicKey) {
  const parts = [payer.publicKey, address, wallet, USDC_MINT] as const;
  return createAssociatedTokenAccountInstruction(...parts);
}
