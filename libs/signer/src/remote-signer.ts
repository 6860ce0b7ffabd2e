import { verify } from 'node:crypto';
import { AppError } from '@agent-wallet/errors';
import { publicKeyOf } from './public-key.ts';
import type { RemoteKey, VaultAccess } from './remote-key.ts';
import type { Signer } from './signer.ts';
import { withinTime } from './within-time.ts';

/** The part of the signers of `@solana/keychain` that is used here. */
type MessageSigner = {
  readonly signMessages: (
    messages: readonly { content: Uint8Array<ArrayBuffer>; signatures: Record<string, never> }[],
  ) => Promise<readonly Readonly<Record<string, Uint8Array>>[]>;
};

/** Below the lane's lease of 10 s, with room for the RPC calls around it. */
const SIGN_TIMEOUT_MS = 2_000;

/**
 * Signs with a key that another system keeps, by the packages of `@solana/keychain`. Each signature
 * is verified before it is returned: one by another key would be stored and sent in vain. No call
 * is made here. Throws SERVER_MISCONFIGURED for a key in Vault without access to Vault.
 */
export async function createRemoteSigner(
  key: RemoteKey,
  vault: VaultAccess | null,
): Promise<Signer> {
  const { address } = key;
  const signer = await openSigner(key, vault);
  const publicKey = publicKeyOf(address);
  return {
    address,
    sign: async (bytes) => {
      const message = { content: Uint8Array.from(bytes), signatures: {} };
      const signing = signer.signMessages([message]);
      const [signatures] = await withinTime(SIGN_TIMEOUT_MS, signing).catch((cause: unknown) => {
        throw new AppError('KEYSTORE_UNAVAILABLE', { address, reason: 'no signature' }, { cause });
      });
      const signature = signatures?.[address];
      if (signature?.length !== 64 || !verify(null, bytes, publicKey, signature)) {
        const reason = 'the signature is not one of this address';
        throw new AppError('KEYSTORE_UNAVAILABLE', { address, reason });
      }
      return signature;
    },
  };
}

/** Loads a package only where a key of its kind is configured. */
async function openSigner(key: RemoteKey, vault: VaultAccess | null): Promise<MessageSigner> {
  switch (key.kind) {
    case 'vault': {
      if (vault === null) throw noVaultAccess();
      const { VaultSigner } = await import('@solana/keychain-vault');
      return new VaultSigner({
        keyName: key.key,
        publicKey: key.address,
        vaultAddr: vault.url,
        vaultToken: vault.token,
      });
    }
    case 'aws-kms': {
      const { AwsKmsSigner } = await import('@solana/keychain-aws-kms');
      const region = key.region === undefined ? {} : { region: key.region };
      return new AwsKmsSigner({ keyId: key.keyId, publicKey: key.address, ...region });
    }
  }
}

/** The fault of a key in Vault where VAULT_ADDR or VAULT_TOKEN is missing. */
export function noVaultAccess(): AppError {
  const reason = 'a key of kind vault requires VAULT_ADDR and VAULT_TOKEN';
  return new AppError('SERVER_MISCONFIGURED', { reason });
}
