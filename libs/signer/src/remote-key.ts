import bs58 from 'bs58';
import { z } from 'zod';

const address = z.string().refine(isAddress, { error: 'must be a base58 address of 32 bytes' });

function isAddress(text: string): boolean {
  try {
    return bs58.decode(text).length === 32;
  } catch {
    return false;
  }
}

/** A key of the transit engine of Vault, mounted at `transit/`. */
export const vaultKeySchema = z.strictObject({
  kind: z.literal('vault'),
  key: z.string().regex(/^[\w.-]{1,128}$/, 'must be the name of a key in the transit engine'),
});

/** A key of AWS KMS: id, ARN or alias. The SDK of AWS finds the credentials. */
export const awsKmsKeySchema = z.strictObject({
  kind: z.literal('aws-kms'),
  keyId: z.string().min(1).max(2_048),
  region: z.string().min(1).max(64).optional(),
});

/** An Ed25519 key in another system that signs, with its public key as an address. */
export const remoteKeySchema = z.discriminatedUnion('kind', [
  vaultKeySchema.extend({ address }),
  awsKmsKeySchema.extend({ address }),
]);
export type RemoteKey = z.output<typeof remoteKeySchema>;

/** How Vault is reached; required for keys of kind `vault`. */
export type VaultAccess = { readonly url: string; readonly token: string };

/** Parses VAULT_ADDR and VAULT_TOKEN; null without both. */
export function vaultAccessOf(
  url: string | undefined,
  token: string | undefined,
): VaultAccess | null {
  return url === undefined || token === undefined ? null : { url, token };
}
