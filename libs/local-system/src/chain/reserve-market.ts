import { decodeReserve, SANDBOX_RESERVE } from '@agent-wallet/chain';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { type Connection, type Keypair, PublicKey } from '@solana/web3.js';
import { reserveInstruction, type ReserveAdmin } from './reserve-instructions.ts';
import { createSendAndConfirm } from './send-and-confirm.ts';
import { StartError } from '../system/start-error.ts';

/** Far above what anybody deposits on a local chain, base units. */
const DEPOSIT_LIMIT = 1_000_000_000_000_000n;
const FRACTION_BITS = 60n;

/**
 * What borrowers do on a live market, done to the embedded chain's yield reserve. Every call waits
 * until the chain confirmed it and answers the signature.
 */
export interface ReserveMarket {
  /** Lends base units of USDC out: the reserve lacks them until they are repaid. */
  lendOut(amountBaseUnits: bigint): Promise<string>;
  /** Lets what is lent out earn interest, in basis points of it. */
  accrue(basisPoints: bigint): Promise<string>;
  /** Says what borrowers pay a year, in basis points; what is lent out then earns with every slot. */
  setRate(basisPoints: bigint): Promise<string>;
  /** Pays everything back with its interest, which is minted for it. */
  repay(): Promise<string>;
}

type Io = {
  readonly connection: Connection;
  readonly usdcMint: PublicKey;
  /** Mints USDC and administrates the reserve. */
  readonly admin: Keypair;
};

/** Makes the reserve, whose program is deployed and whose accounts have their rent. */
export async function initReserve({ connection, usdcMint, admin }: Io): Promise<void> {
  const { key, tokenAccount } = adminOf(admin, usdcMint);
  await createSendAndConfirm(
    connection,
    admin,
  )([
    createAssociatedTokenAccountIdempotentInstruction(key, tokenAccount, key, usdcMint),
    createMintToInstruction(usdcMint, tokenAccount, key, 1n),
    reserveInstruction('init_reserve', { key, tokenAccount, usdcMint }, DEPOSIT_LIMIT),
  ]);
}

/** @throws StartError from every call on a chain that is not embedded. */
export function createReserveMarket(
  io: Omit<Io, 'admin'> & { readonly admin: Keypair | undefined },
): ReserveMarket {
  const { connection, usdcMint, admin } = io;
  if (admin === undefined) {
    return { lendOut: refuse, accrue: refuse, setRate: refuse, repay: refuse };
  }
  const send = createSendAndConfirm(connection, admin);
  const by = adminOf(admin, usdcMint);
  return {
    lendOut: (amountBaseUnits) =>
      send([
        reserveInstruction('refresh_reserve', by),
        reserveInstruction('borrow_out', by, amountBaseUnits),
      ]),
    accrue: (basisPoints) => send([reserveInstruction('accrue', by, basisPoints)]),
    setRate: (basisPoints) => send([reserveInstruction('set_rate', by, basisPoints)]),
    repay: async () => {
      const owed = await readOwed(connection);
      return send([
        createMintToInstruction(usdcMint, by.tokenAccount, by.key, owed),
        reserveInstruction('repay', by, owed),
      ]);
    },
  };
}

async function refuse(): Promise<never> {
  throw new StartError('The reserve is ours on the embedded chain only (RPC_URL is set).');
}

function adminOf({ publicKey: key }: Keypair, usdcMint: PublicKey): ReserveAdmin {
  return { key, usdcMint, tokenAccount: getAssociatedTokenAddressSync(usdcMint, key) };
}

/** The stand-in charges no fees and knows no fractions, so what is not there is lent out. */
async function readOwed(connection: Connection): Promise<bigint> {
  const address = new PublicKey(SANDBOX_RESERVE.reserve);
  const account = await connection.getAccountInfo(address, 'confirmed');
  const owner = account?.owner.toBase58() ?? '';
  const state = decodeReserve(SANDBOX_RESERVE, { owner, data: account?.data ?? Buffer.alloc(0) });
  if (state === null) throw new StartError('The reserve is not on this chain.');
  return (state.totalScaled >> FRACTION_BITS) - state.available;
}
