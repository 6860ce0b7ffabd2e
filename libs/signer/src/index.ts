/** Keys that sign, behind one interface: in this process, in Vault, in AWS KMS. */
export { createLocalSigner } from './local-signer.ts';
export {
  awsKmsKeySchema,
  type RemoteKey,
  remoteKeySchema,
  type VaultAccess,
  vaultAccessOf,
  vaultKeySchema,
} from './remote-key.ts';
export { createRemoteSigner, noVaultAccess } from './remote-signer.ts';
export type { Signer } from './signer.ts';
