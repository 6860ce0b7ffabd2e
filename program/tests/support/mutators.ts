import type { Keypair, PublicKey } from '@solana/web3.js';
import { accountIn, type Call, changeMeta, encode } from './call.ts';
import { type AccountState, editData, getAccount, removeAccount, setAccount } from './chain.ts';
import type { World } from './world.ts';

/** A change to a valid call, or to the world it runs in. */
export type Mutator = (call: Call, world: World) => Call;

/** The account does not sign. */
export function unsigned(name: string): Mutator {
  return (call) => {
    const meta = call.accounts.find((one) => one.name === name);
    const signers = call.signers.filter((one) => !meta?.pubkey.equals(one.publicKey));
    return { ...changeMeta(call, name, { isSigner: false }), signers };
  };
}

export function readonly(name: string): Mutator {
  return (call) => changeMeta(call, name, { isWritable: false });
}

/** Another account in the place of the named one. */
export function replaced(name: string, choose: (world: World) => PublicKey): Mutator {
  return (call, world) => changeMeta(call, name, { pubkey: choose(world) });
}

/** Another signer in the place of the named one. */
export function signedBy(name: string, choose: (world: World) => Keypair): Mutator {
  return (call, world) => {
    const signer = choose(world);
    return { ...changeMeta(call, name, { pubkey: signer.publicKey }), signers: [signer] };
  };
}

/** Other arguments, which may depend on the world. */
export function withArgs(
  change: Record<string, unknown> | ((world: World) => Record<string, unknown>),
): Mutator {
  return (call, world) => {
    const other = typeof change === 'function' ? change(world) : change;
    return { ...call, args: { ...call.args, ...other } };
  };
}

export function withData(change: (data: Buffer) => Buffer): Mutator {
  return (call) => ({ ...call, data: change(encode(call)) });
}

/** Encoded arguments without their last byte. */
export const cutOff = withData((data) => data.subarray(0, -1));

/** Leaves out the last account. */
export const withoutLastAccount: Mutator = (call) => ({
  ...call,
  accounts: call.accounts.slice(0, -1),
});

/** Changes the world before the unchanged call. */
export function after(change: (world: World, call: Call) => void): Mutator {
  return (call, world) => {
    change(world, call);
    return call;
  };
}

/** The named account no longer exists; `dust` lamports remain at its address. */
export function removed(name: string, dust = 0n): Mutator {
  return after((world, call) => removeAccount(world.svm, accountIn(call, name), dust));
}

/** The named account has other data on chain. */
export function edited(name: string, edit: (data: Buffer, world: World) => unknown): Mutator {
  return after((world, call) =>
    editData(world.svm, accountIn(call, name), (data) => void edit(data, world)),
  );
}

/** The named account has another owner, or data of another length, on chain. */
export function changed(
  name: string,
  change: (data: Buffer, world: World) => Partial<AccountState>,
): Mutator {
  return after((world, call) => {
    const address = accountIn(call, name);
    const data = getAccount(world.svm, address)?.data ?? Buffer.alloc(0);
    setAccount(world.svm, address, change(data, world));
  });
}

/** Several changes, in order. */
export function both(...mutators: Mutator[]): Mutator {
  return (call, world) => mutators.reduce((spoiled, mutate) => mutate(spoiled, world), call);
}
