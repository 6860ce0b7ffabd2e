/** LiteSVM's native object, which takes and returns bytes. */

import {
  Account,
  type Account as NativeAccount,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import type { AccountState } from './accounts/account-state.ts';
import { addressOf, bytesOf } from './accounts/addresses.ts';

export const SLOTS_PER_EPOCH = 432_000;

/** The machine that executes transactions on the newest state. It keeps no history. */
export type Svm = {
  account(address: string): AccountState | null;
  /** Cheaper than the whole account; 0 where there is none. */
  lamports(address: string): bigint;
  setAccount(address: string, account: AccountState): void;
  addProgram(address: string, bytes: Uint8Array): void;
  programAccounts(program: string): ReadonlyMap<string, AccountState>;
  /** Everything that it holds, for `createSvm`. */
  save(): Uint8Array;
  /** Unix seconds. */
  setClock(slot: number, unixTimestamp: number): void;
  rentExemption(dataLength: number): bigint;
  /** The bytes must be a well-formed transaction: LiteSVM ends the process on any others. */
  execute(wire: Uint8Array, options: Verifying): TransactionMetadata | FailedTransactionMetadata;
  simulate(wire: Uint8Array, options: Verifying): Simulated;
};

type Verifying = { readonly verifySignatures: boolean };

export type Simulated = {
  readonly meta: TransactionMetadata | FailedTransactionMetadata;
  /** Reads the accounts after the execution; there are none when it failed. */
  readonly accounts: () => ReadonlyMap<string, AccountState>;
};

/**
 * A new machine with the standard programs, or a saved one. Its own checks of blockhashes and
 * duplicates are off: it knows one blockhash only, and finds duplicates only in a history of fixed
 * length.
 */
export function createSvm(saved?: Uint8Array): Svm {
  const native = saved === undefined ? new LiteSvm() : LiteSvm.fromBytes(saved);
  native.setBlockhashCheck(false);
  native.setTransactionHistory(0n);
  return {
    save: () => native.toBytes(),
    account(address) {
      const account = native.getAccount(bytesOf(address));
      return account === null ? null : stateOf(account);
    },
    lamports: (address) => native.getBalance(bytesOf(address)) ?? 0n,
    setAccount(address, { lamports, data, owner, executable, rentEpoch }) {
      const account = new Account(lamports, data, bytesOf(owner), executable, rentEpoch);
      native.setAccount(bytesOf(address), account);
    },
    addProgram: (address, bytes) => native.addProgram(bytesOf(address), bytes),
    programAccounts(program) {
      const found = native.getProgramAccounts(bytesOf(program));
      return new Map(found.map((one) => [addressOf(one.address), stateOf(one.account())]));
    },
    setClock(slot, unixTimestamp) {
      const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
      native.setClock(new Clock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(unixTimestamp)));
    },
    rentExemption: (dataLength) => native.minimumBalanceForRentExemption(BigInt(dataLength)),
    execute(wire, { verifySignatures }) {
      native.setSigverify(verifySignatures);
      return native.sendVersionedTransaction(wire);
    },
    simulate(wire, { verifySignatures }) {
      native.setSigverify(verifySignatures);
      return simulatedOf(native.simulateVersionedTransaction(wire));
    },
  };
}

function simulatedOf(returned: ReturnType<LiteSvm['simulateVersionedTransaction']>): Simulated {
  if (returned instanceof FailedTransactionMetadata) {
    return { meta: returned, accounts: () => new Map() };
  }
  const accounts = (): ReadonlyMap<string, AccountState> =>
    new Map(returned.postAccounts().map((one) => [addressOf(one.address), stateOf(one.account())]));
  return { meta: returned.meta(), accounts };
}

function stateOf(account: NativeAccount): AccountState {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: addressOf(account.owner()),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  };
}
