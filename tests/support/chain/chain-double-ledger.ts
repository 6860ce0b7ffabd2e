/** What the in-memory chain holds at each slot: balances, accounts and landed transactions. */
import type { ChainTransaction, Reserve, Rpc, WalletProgram } from '@agent-wallet/chain';
import {
  reserveBytes,
  type SentTransfer,
  sessionBytes,
  SPEND_INSTRUCTION,
  TOKEN_PROGRAM,
  spentBytes,
  tokenAccountBytes,
  vaultBytes,
} from './chain-double-bytes.ts';
import { errorOf, logsOf, type Refusal } from './chain-double-refusals.ts';

export type ChainFacts = {
  readonly program: WalletProgram;
  readonly owner: string;
  readonly sessionPubkey: string;
  readonly recipients: readonly string[];
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  /** The vault's balance at the start. */
  readonly funds: bigint;
  /** The amount deployed to the yield reserve at the start. */
  readonly deployed: bigint;
  readonly reserve: Reserve;
  readonly startSlot: bigint;
};

export type Landing = {
  readonly transfer: SentTransfer;
  readonly slot: bigint;
  /** Null: it succeeded. */
  readonly refusal: Refusal | null;
};

/** The deposits of others in the reserve. */
const OF_OTHERS = 1_000_000_000n;

export type ChainLedger = {
  readonly vault: string;
  readonly vaultUsdcAta: string;
  readonly sessionPda: string;
  /** In the order in which they landed. */
  readonly landings: Landing[];
  readonly balanceAt: (ofOwner: string, slot: bigint) => bigint;
  readonly deployedAt: (slot: bigint) => bigint;
  readonly replayAt: (slot: bigint) => { readonly highestSeq: bigint; readonly bitmap: bigint[] };
  /** Null for an address that the chain does not know. */
  readonly accountAt: (
    address: string,
    slot: bigint,
  ) => Awaited<ReturnType<Rpc['accounts']>>['accounts'][number];
  readonly transactionOf: (landing: Landing) => ChainTransaction;
};

export function createChainLedger(facts: ChainFacts): ChainLedger {
  const { program, owner, sessionPubkey, recipients, reserve } = facts;
  const { addresses, programId, usdcMint } = program;
  const vault = addresses.vaultPda(owner);
  const vaultUsdcAta = addresses.usdcAta(vault);
  const sessionPda = addresses.sessionPda(vault, sessionPubkey);
  const yieldPda = addresses.yieldPda(vault);
  const collateralAta = addresses.ata(yieldPda, reserve.collateralMint);
  const ownerOfAta = new Map([vault, ...recipients].map((one) => [addresses.usdcAta(one), one]));
  const landings: Landing[] = [];

  const succeededBy = (atSlot: bigint): readonly Landing[] =>
    landings.filter((landing) => landing.refusal === null && landing.slot <= atSlot);

  function balanceAt(ofOwner: string, atSlot: bigint): bigint {
    const landed = succeededBy(atSlot).map(({ transfer }) => transfer);
    if (ofOwner === vault) {
      return landed.reduce(
        (rest, { verb, amount }) => (verb === 'yield_withdraw' ? rest + amount : rest - amount),
        facts.funds,
      );
    }
    const received = landed.filter(({ recipient }) => recipient === ofOwner);
    return received.reduce((sum, { amount }) => sum + amount, 0n);
  }

  function deployedAt(atSlot: bigint): bigint {
    return succeededBy(atSlot).reduce((deployed, { transfer: { verb, amount } }) => {
      if (verb === 'yield_deposit') return deployed + amount;
      return verb === 'yield_withdraw' ? deployed - amount : deployed;
    }, facts.deployed);
  }

  function replayAt(atSlot: bigint): { highestSeq: bigint; bitmap: bigint[] } {
    const seqs = succeededBy(atSlot).map(({ transfer }) => transfer.spendSeq);
    const bitmap = [0n, 0n, 0n, 0n];
    for (const seq of seqs) {
      const word = Number((seq % 256n) / 64n);
      bitmap[word] = (bitmap[word] ?? 0n) | (1n << (seq % 64n));
    }
    return { highestSeq: seqs.reduce((most, seq) => (seq > most ? seq : most), 0n), bitmap };
  }

  function accountAt(address: string, atSlot: bigint) {
    const deployed = deployedAt(atSlot);
    const { collateralMint } = reserve;
    const contents = new Map<string, () => readonly [owner: string, data: Buffer]>([
      [vault, () => [programId, vaultBytes(owner, vaultUsdcAta, deployed)]],
      [reserve.reserve, () => [reserve.programId, reserveBytes(reserve, OF_OTHERS + deployed)]],
      [collateralAta, () => [TOKEN_PROGRAM, tokenAccountBytes(collateralMint, yieldPda, deployed)]],
      [sessionPda, () => [programId, sessionBytes({ ...facts, vault, ...replayAt(atSlot) })]],
      ...[...ownerOfAta].map(([ata, one]) => {
        const data = (): Buffer => tokenAccountBytes(usdcMint, one, balanceAt(one, atSlot));
        return [ata, () => [TOKEN_PROGRAM, data()] as const] as const;
      }),
    ]);
    const found = contents.get(address);
    if (found === undefined) return null;
    const [accountOwner, data] = found();
    return { address, lamports: 1_000_000n, owner: accountOwner, data };
  }

  function transactionOf(landing: Landing): ChainTransaction {
    const { transfer, refusal } = landing;
    const { slot: at } = landing;
    const after = { balance: balanceAt(vault, at), deployed: deployedAt(at) };
    const told = {
      programId,
      accounts: [addresses.eventAuthority],
      data: spentBytes(transfer, after),
    };
    return {
      slot: landing.slot,
      blockTime: null,
      err: errorOf(refusal),
      logs: logsOf(programId, refusal),
      signatures: transfer.signatures,
      accountKeys: [],
      tokenChanges: null,
      instructionPrograms: transfer.programs,
      innerInstructions:
        refusal === null ? [{ index: SPEND_INSTRUCTION, instructions: [told] }] : [],
    };
  }

  return {
    vault,
    vaultUsdcAta,
    sessionPda,
    landings,
    balanceAt,
    deployedAt,
    replayAt,
    accountAt,
    transactionOf,
  };
}
