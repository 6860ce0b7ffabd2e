import { PublicKey } from '@solana/web3.js';
// The raw class: the public one converts every address to base58, ten times the cost of a read.
import {
  Account as RawAccount,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
} from 'litesvm/dist/internal.js';
import { PROGRAM_FILE } from '../../tests/support/chain.ts';
import { RESERVE_FILE } from '../../tests/support/reserve.ts';
import { type Account, encodeAccountData } from '../world/account.ts';
import { OUTSIDE } from '../model/scene.ts';
import type { Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';
import { encodeTransaction } from './wire.ts';

/** An account as read from the chain. */
export type Raw = {
  readonly lamports: bigint;
  readonly owner: Buffer;
  readonly data: Buffer;
};

/** The error of a transaction, as `program code`; null when it passed. */
export type Outcome = { readonly error: string | null };

/** A chain with the two programs that verifies neither signatures nor blockhashes. */
export type Chain = {
  readonly send: (calls: readonly Call[]) => Outcome;
  readonly read: (id: Id) => Raw | null;
  readonly write: (id: Id, account: Account | undefined) => void;
  readonly setClock: (slot: bigint, now: bigint) => void;
};

export type ProgramFiles = { readonly wallet: string; readonly reserve: string };

export const committedPrograms: ProgramFiles = { wallet: PROGRAM_FILE, reserve: RESERVE_FILE };

export function createChain(universe: Universe, files: ProgramFiles): Chain {
  const { addresses, fixed } = universe;
  const addressOf = (id: Id): Uint8Array => addresses[id] ?? new Uint8Array();
  const svm = new LiteSvm();
  svm.setSigverify(false);
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  svm.addProgramFromFile(addressOf(fixed.program), files.wallet);
  svm.addProgramFromFile(addressOf(fixed.reserveProgram), files.reserve);
  const programs = new Map(
    [
      ['wallet', fixed.program] as const,
      ['reserve', fixed.reserveProgram] as const,
      ['token', fixed.tokenProgram] as const,
      ['token2022', fixed.token2022] as const,
      ['system', fixed.system] as const,
      ['associated', fixed.associatedTokenProgram] as const,
    ].map(([name, id]) => [new PublicKey(addressOf(id)).toBase58(), name]),
  );
  return {
    send: (calls) => {
      const result = svm.sendLegacyTransaction(encodeTransaction(calls, universe));
      if (!(result instanceof FailedTransactionMetadata)) return { error: null };
      return { error: errorIn(result, programs) };
    },
    read: (id) => {
      const raw = svm.getAccount(addressOf(id));
      const lamports = raw?.lamports() ?? 0n;
      if (raw === null || lamports === 0n) return null;
      return { lamports, owner: viewOf(raw.owner()), data: viewOf(raw.data()) };
    },
    write: (id, account) => {
      const { lamports, owner, data } = account ?? {
        lamports: 0n,
        owner: fixed.system,
        data: { kind: 'empty' },
      };
      if (owner === OUTSIDE) throw new Error('an account of the runtime cannot be written');
      const bytes = encodeAccountData(data, universe);
      svm.setAccount(addressOf(id), new RawAccount(lamports, bytes, addressOf(owner), false, 0n));
    },
    setClock: (slot, now) => svm.setClock(new Clock(slot, 0n, 0n, 0n, now)),
  };
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The innermost program that failed, and its error. */
function errorIn(result: FailedTransactionMetadata, programs: ReadonlyMap<string, string>): string {
  for (const line of result.meta().logs()) {
    const [, program, reason] = /^Program (\S+) failed: (.*)$/.exec(line) ?? [];
    if (program === undefined || reason === undefined) continue;
    const code = /^custom program error: 0x([0-9a-f]+)$/.exec(reason)?.[1];
    const name = programs.get(program) ?? program;
    return `${name} ${code === undefined ? reason : Number.parseInt(code, 16)}`;
  }
  return `runtime ${String(result.err())}`;
}
