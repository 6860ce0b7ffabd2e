import { decodeReserve, SANDBOX_RESERVE } from '@agent-wallet/chain';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { type Connection, type Keypair, PublicKey } from '@solana/web3.js';
import { reserveInstruction, type ReserveAdmin } from './reserve-instructions.ts';
import { createSendAndConfirm, type SendAndConfirm } from './send-and-confirm.ts';
import { StartError } from '../system/start-error.ts';

/** Base units; far above any deposit on a local chain. */
const DEPOSIT_LIMIT = 1_000_000_000_000_000n;
const FRACTION_BITS = 60n;

/**
 * Acts as the borrowers of a live market on the embedded chain's yield reserve. Each call waits for
 * confirmation and returns the signature.
 */
export interface ReserveMarket {
  /** Lends base units of USDC out of the reserve until they are repaid. */
  lendOut(amountBaseUnits: bigint): Promise<string>;
  /** Adds interest to the amount lent out, in basis points of it. */
  accrue(basisPoints: bigint): Promise<string>;
  /** Sets the yearly rate in basis points; the amount lent out then earns interest each slot. */
  setRate(basisPoints: bigint): Promise<string>;
  /** Repays the whole debt with its interest, which is minted for it. */
  repay(): Promise<string>;
}

type Io = {
  readonly connection: Connection;
  readonly usdcMint: PublicKey;
  /** Mints USDC and administers the reserve. */
  readonly admin: Keypair;
};

/** Initialises the reserve. Its program must be deployed and its accounts funded for rent. */
export async function initReserve(
  send: SendAndConfirm,
  usdcMint: PublicKey,
  admin: Keypair,
): Promise<void> {
  const { key, tokenAccount } = adminOf(admin, usdcMint);
  await send([
    createAssociatedTokenAccountIdempotentInstruction(key, tokenAccount, key, usdcMint),
    createMintToInstruction(usdcMint, tokenAccount, key, 1n),
    reserveInstruction('init_reserve', { key, tokenAccount, usdcMint }, DEPOSIT_LIMIT),
  ]);
}

/** Each call throws StartError on a chain that is not embedded. */
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
  throw new StartError(
    'The reserve can be controlled on the embedded chain only (RPC_URL is set).',
  );
}

function adminOf({ publicKey: key }: Keypair, usdcMint: PublicKey): ReserveAdmin {
  return { key, usdcMint, tokenAccount: getAssociatedTokenAddressSync(usdcMint, key) };
}

/** The sandbox reserve charges no fees and has no fractions, so the missing amount is lent out. */
async function readOwed(connection: Connection): Promise<bigint> {
  const address = new PublicKey(SANDBOX_RESERVE.reserve);
  const account = await connection.getAccountInfo(address, 'confirmed');
  const owner = account?.owner.toBase58() ?? '';
  const state = decodeReserve(SANDBOX_RESERVE, { owner, data: account?.data ?? Buffer.alloc(0) });
  if (state === null) throw new StartError('The reserve is not on this chain.');
  return (state.totalScaled >> FRACTION_BITS) - state.available;
}
