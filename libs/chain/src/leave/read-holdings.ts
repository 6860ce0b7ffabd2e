/** Reads what the chain holds for an owner. */

import { AccountLayout, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';

import { type Addresses, publicKeyOf } from '../program/addresses.ts';
import { createWalletProgram, type WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import { decodeReserve, payableCollateral } from '../reserve/reserve-state.ts';
import { tokenAmountOf } from '../rpc/read/balances.ts';
import type { AccountSnapshot, AccountsAtSlot } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { collateralOf, type HeldTokenAccount, type Holdings } from './holdings.ts';

type Reads = Pick<Rpc, 'accounts' | 'accountsNaming' | 'tokenAccountsOf'>;

const TOKEN_PROGRAMS = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].map((id) => id.toBase58());
/** Where a session names its vault. */
const VAULT_OFFSET = 48;
/** The rent of a byte for two years, and the bytes that each account has besides its data. */
const LAMPORTS_PER_BYTE = 6_960n;
const ACCOUNT_BYTES = 128n;

/**
 * The program with the mint that the owner's vault is for; null when the owner has no vault that
 * can be read.
 */
export async function programOfVault(
  rpc: Pick<Rpc, 'accounts'>,
  programId: string,
  owner: string,
): Promise<WalletProgram | null> {
  // A vault's address does not depend on the mint.
  const anyMint = createWalletProgram({ programId, usdcMint: programId });
  const vaultPda = anyMint.addresses.vaultPda(owner);
  const commitment = 'confirmed';
  const [account = null] = (await rpc.accounts([vaultPda], { commitment })).accounts;
  const vault = account === null ? null : anyMint.decodeVault(account);
  if (vault === null) return null;
  const read = await rpc.accounts([vault.vaultTokenAccount], { commitment });
  const tokenAccount = read.accounts[0] ?? null;
  if (tokenAccount === null) return null;
  const usdcMint = AccountLayout.decode(tokenAccount.data).mint.toBase58();
  return createWalletProgram({ programId, usdcMint });
}

/**
 * Everything at `confirmed` and at `minContextSlot` or later; null without a vault. Throws
 * RPC_UNAVAILABLE.
 */
export async function readHoldings(
  rpc: Reads,
  { program, reserve }: { readonly program: WalletProgram; readonly reserve: Reserve },
  owner: string,
  minContextSlot: bigint,
): Promise<Holdings | null> {
  const { addresses, programId } = program;
  const vaultPda = addresses.vaultPda(owner);
  const yieldPda = addresses.yieldPda(vaultPda);
  const at = { commitment: 'confirmed', minContextSlot } as const;
  const single = await rpc.accounts(
    [vaultPda, addresses.usdcAta(vaultPda), yieldPda, reserve.reserve],
    at,
  );
  const [vaultAccount = null, liquid = null, yieldAccount = null] = single.accounts;
  const vault = vaultAccount === null ? null : program.decodeVault(vaultAccount);
  if (vaultAccount === null || vault === null) return null;
  const [named, ...owned] = await Promise.all([
    rpc.accountsNaming(programId, { offset: VAULT_OFFSET, address: vaultPda, ...at }),
    ...[vaultPda, yieldPda].flatMap((authority) =>
      TOKEN_PROGRAMS.map((tokenProgram) => rpc.tokenAccountsOf(authority, tokenProgram, at)),
    ),
  ]);
  const holdings: Holdings = {
    vault,
    sessions: named.flatMap((account) => {
      const session = program.decodeSession(account);
      if (session?.vault !== vaultPda) return [];
      return { sessionPda: account.address, sessionIndex: session.index };
    }),
    liquid: tokenAmountOf(liquid),
    tokenAccounts: owned
      .flat()
      .filter(({ address }) => address !== vault.vaultTokenAccount)
      .map((account) => heldTokenAccount(account, { addresses, reserve, vaultPda, yieldPda })),
    payableCollateral: null,
    spareLamports: spareOf(vaultAccount),
    yieldLamports: yieldAccount?.lamports ?? 0n,
  };
  return { ...holdings, payableCollateral: payableOf(reserve, single, collateralOf(holdings)) };
}

function spareOf({ lamports, data }: AccountSnapshot): bigint {
  const rent = (ACCOUNT_BYTES + BigInt(data.length)) * LAMPORTS_PER_BYTE;
  return lamports > rent ? lamports - rent : 0n;
}

function payableOf(
  reserve: Reserve,
  { accounts, slot }: AccountsAtSlot,
  held: bigint,
): bigint | null {
  const account = accounts.find((one) => one?.address === reserve.reserve) ?? null;
  const state = account === null ? null : decodeReserve(reserve, account);
  return state === null ? null : payableCollateral(state, { held, slot });
}

function heldTokenAccount(
  { address, owner: tokenProgram, data }: AccountSnapshot,
  {
    addresses,
    reserve,
    vaultPda,
    yieldPda,
  }: {
    readonly addresses: Addresses;
    readonly reserve: Reserve;
    readonly vaultPda: string;
    readonly yieldPda: string;
  },
): HeldTokenAccount {
  const { owner, mint, amount, closeAuthority, closeAuthorityOption } = AccountLayout.decode(data);
  const roles: Readonly<Record<string, HeldTokenAccount['role']>> = {
    [addresses.usdcAta(yieldPda)]: 'transit',
    [addresses.ata(yieldPda, reserve.collateralMint)]: 'collateral',
  };
  return {
    address,
    authority: owner.equals(publicKeyOf(vaultPda)) ? 'vault' : 'yield',
    role: roles[address] ?? 'other',
    mint: mint.toBase58(),
    tokenProgram,
    amount,
    isClosable: closeAuthorityOption === 0 || closeAuthority.equals(owner),
  };
}
