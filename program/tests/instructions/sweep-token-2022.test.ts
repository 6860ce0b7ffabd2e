import {
  createAssociatedTokenAccountInstruction,
  createHarvestWithheldTokensToMintInstruction,
  createInitializeMint2Instruction,
  createInitializeTransferFeeConfigInstruction,
  createInitializeTransferHookInstruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, type Call, run } from '../support/call.ts';
import { replaced } from '../support/mutators.ts';
import { type Sweep, sweepTokenAccount } from '../support/calls.ts';
import { getAccount, keypair, send, tokenBalance } from '../support/chain.ts';
import { expectError, expectForeignError } from '../support/expect.ts';
import { type World, worldWithVault } from '../support/world.ts';

const MINT = keypair('a mint of Token-2022');
const DECIMALS = 9;
/** 1 % of each transfer, withheld in the account that receives it. */
const FEE_BP = 100;
const HAS_WITHHELD_FEES = 35;

type Wallet = 'vault' | 'yieldAuthority';
/** A token account of Token-2022 and the wallet that holds it. */
type Held = Pick<Sweep, 'authority' | 'token_account'>;

describe('sweep_token_account of Token-2022', () => {
  it.each(['vault', 'yieldAuthority'] as const)('pays the owner what the %s holds', (wallet) => {
    const world = worldWithFees();
    const held = minted(world, wallet, 1_000n);
    run(world, sweepOf(world, held, true));
    expect(getAccount(world.svm, held.token_account)).toBeNull();
    expect(ofOwner(world)).toBe(990n);
  });

  it('cannot close an account before the fees that it withholds are harvested', () => {
    const world = worldWithFees();
    const held = received(world, 1_000n);
    const sweep = sweepOf(world, held, true);
    expectForeignError(attempt(world, sweep), TOKEN_2022_PROGRAM_ID.toBase58(), HAS_WITHHELD_FEES);
    run(world, sweepOf(world, held));
    expect(tokenBalance(world.svm, held.token_account)).toBe(0n);
    // Anyone may harvest.
    const from = [held.token_account];
    const [mint, program] = [MINT.publicKey, TOKEN_2022_PROGRAM_ID];
    run(world, createHarvestWithheldTokensToMintInstruction(mint, from, program), sweep);
    expect(getAccount(world.svm, held.token_account)).toBeNull();
    // The fee is rounded up each time.
    expect(ofOwner(world)).toBe(980n);
  });

  it('does not serve a mint with a transfer hook', () => {
    const hook = keypair('a transfer hook').publicKey;
    const world = worldWithMint(ExtensionType.TransferHook, (mint, authority) =>
      createInitializeTransferHookInstruction(mint, authority, hook, TOKEN_2022_PROGRAM_ID),
    );
    const held = minted(world, 'vault', 1_000n);
    expect(attempt(world, sweepOf(world, held)).failed).toBe(true);
    expect(tokenBalance(world.svm, held.token_account)).toBe(1_000n);
  });

  it('is refused under the Token program', () => {
    const world = worldWithFees();
    const sweep = sweepOf(world, minted(world, 'vault', 1_000n));
    const call = replaced('token_program', () => TOKEN_PROGRAM_ID)(sweep, world);
    expectError(attempt(world, call), 'AccountOwnedByWrongProgram', 'token_account');
  });
});

function worldWithFees(): World {
  return worldWithMint(ExtensionType.TransferFeeConfig, (mint, authority) =>
    createInitializeTransferFeeConfigInstruction(
      mint,
      authority,
      authority,
      FEE_BP,
      1_000_000n,
      TOKEN_2022_PROGRAM_ID,
    ),
  );
}

/** A world with a mint of Token-2022 that the stranger administers, and an account of the owner. */
function worldWithMint(
  extension: ExtensionType,
  initialize: (mint: PublicKey, authority: PublicKey) => TransactionInstruction,
): World {
  const world = worldWithVault();
  const { svm, stranger, owner } = world;
  const [mint, authority] = [MINT.publicKey, stranger.publicKey];
  const space = getMintLen([extension]);
  const account = SystemProgram.createAccount({
    fromPubkey: authority,
    newAccountPubkey: mint,
    lamports: 10_000_000,
    space,
    programId: TOKEN_2022_PROGRAM_ID,
  });
  const mintable = createInitializeMint2Instruction(
    mint,
    DECIMALS,
    authority,
    null,
    TOKEN_2022_PROGRAM_ID,
  );
  const made = send(svm, [account, initialize(mint, authority), mintable], [stranger, MINT]);
  if (made.failed) throw new Error(made.logs.join('\n'));
  runByStranger(world, opened(world, owner.publicKey));
  return world;
}

/** Amount minted to the associated account of the vault or its yield authority. */
function minted(world: World, wallet: Wallet, amount: bigint): Held {
  runByStranger(world, opened(world, world[wallet]), mintTo(world, world[wallet], amount));
  return heldBy(world[wallet]);
}

/** Amount sent to the vault by a stranger, less the fee, which is withheld there. */
function received(world: World, amount: bigint): Held {
  const { stranger, vault } = world;
  const from = stranger.publicKey;
  const transfer = createTransferCheckedInstruction(
    tokenAddress2022(from),
    MINT.publicKey,
    tokenAddress2022(vault),
    from,
    amount,
    DECIMALS,
    [],
    TOKEN_2022_PROGRAM_ID,
  );
  const accounts = [opened(world, from), opened(world, vault)];
  runByStranger(world, ...accounts, mintTo(world, from, amount), transfer);
  return heldBy(vault);
}

function heldBy(authority: PublicKey): Held {
  const token_account = tokenAddress2022(authority);
  return { authority, token_account };
}

function sweepOf(world: World, held: Held, close = false): Call {
  const owner_token_account = tokenAddress2022(world.owner.publicKey);
  const mint = MINT.publicKey;
  const token_program = TOKEN_2022_PROGRAM_ID;
  return sweepTokenAccount(world, { ...held, mint, owner_token_account, token_program, close });
}

function mintTo({ stranger }: World, wallet: PublicKey, amount: bigint): TransactionInstruction {
  const [to, authority] = [tokenAddress2022(wallet), stranger.publicKey];
  return createMintToInstruction(MINT.publicKey, to, authority, amount, [], TOKEN_2022_PROGRAM_ID);
}

function opened({ stranger }: World, wallet: PublicKey): TransactionInstruction {
  const [payer, address] = [stranger.publicKey, tokenAddress2022(wallet)];
  const mint = MINT.publicKey;
  return createAssociatedTokenAccountInstruction(
    payer,
    address,
    wallet,
    mint,
    TOKEN_2022_PROGRAM_ID,
  );
}

function tokenAddress2022(wallet: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(MINT.publicKey, wallet, true, TOKEN_2022_PROGRAM_ID);
}

function ofOwner({ svm, owner }: World): bigint {
  return tokenBalance(svm, tokenAddress2022(owner.publicKey));
}

function runByStranger({ svm, stranger }: World, ...calls: TransactionInstruction[]): void {
  const { failed, logs } = send(svm, calls, [stranger]);
  if (failed) throw new Error(`the call failed:\n${logs.join('\n')}`);
}
