import { editData, FIRST_INDEX, getAccount, setAccount } from './chain.ts';
import { type World, worldWithSession } from './world.ts';

const LENGTH = 96;

/** The same world with the vault in layout version 1, which does not count open sessions. */
export function withVersion1(world: World): World {
  const data = vaultData(world).subarray(0, LENGTH);
  data.writeUInt8(1, 8);
  setAccount(world.svm, world.vault, { data, lamports: rentOf(world, LENGTH) });
  return world;
}

/** The vault and the session of {@link worldWithSession} as version 1 created them: session 0. */
export function worldOfVersion1(): World {
  const world = withVersion1(worldWithSession());
  editData(world.svm, world.vault, renumber(24));
  editData(world.svm, world.session, renumber(16));
  return world;
}

/** The bytes of the vault. */
export function vaultData({ svm, vault }: World): Buffer {
  return getAccount(svm, vault)?.data ?? Buffer.alloc(0);
}

/** Lamports of an account of that length. */
export function rentOf({ svm }: World, bytes: number): bigint {
  return svm.minimumBalanceForRentExemption(BigInt(bytes));
}

/** Version 1 counted sessions from 0. */
function renumber(offset: number): (data: Buffer) => void {
  return (data) => void data.writeBigUInt64LE(data.readBigUInt64LE(offset) - FIRST_INDEX, offset);
}
