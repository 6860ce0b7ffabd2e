import { AppError, isAppError } from '@agent-wallet/errors';
import { Keypair } from '@solana/web3.js';
import type { DataKeys } from './data-keys.ts';
import { open, type SealContext } from './seal.ts';

/** Opens the sealed bytes of a row. Throws KEYSTORE_UNAVAILABLE. */
export type OpenSessionKey = (sealed: Buffer, context: SealContext) => Promise<Keypair>;

/** Opens session keys by the data key of their version, and checks that each is the one of its row. */
export function createOpenSessionKey(dataKeys: Pick<DataKeys, 'keysOf'>): OpenSessionKey {
  return async (sealed, context) => {
    const { pubkey } = context;
    const secret = openWithAny(await dataKeys.keysOf(context.keyVersion), sealed, context);
    const keypair = keypairOf(secret, pubkey);
    if (keypair.publicKey.toBase58() !== pubkey) {
      throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, reason: 'the key is another one' });
    }
    return keypair;
  };
}

/** Throws the fault of the last key that does not open the bytes. */
function openWithAny(keys: readonly Buffer[], sealed: Buffer, context: SealContext): Buffer {
  const { pubkey, keyVersion } = context;
  let fault = new AppError('KEYSTORE_UNAVAILABLE', { pubkey, keyVersion, reason: 'no key' });
  for (const key of keys) {
    try {
      return open(key, sealed, context);
    } catch (error) {
      if (!isAppError(error, 'KEYSTORE_UNAVAILABLE')) throw error;
      fault = error;
    }
  }
  throw fault;
}

/** The library throws plain errors for bytes that are not a keypair or whose halves differ. */
function keypairOf(secret: Buffer, pubkey: string): Keypair {
  try {
    return Keypair.fromSecretKey(secret);
  } catch (cause) {
    throw new AppError('KEYSTORE_UNAVAILABLE', { pubkey, reason: 'no keypair' }, { cause });
  }
}
