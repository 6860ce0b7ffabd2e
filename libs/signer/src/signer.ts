/** A key that signs, wherever it is kept. */
export type Signer = {
  /** The public key, base58. */
  readonly address: string;
  /**
   * The Ed25519 signature of these bytes, 64 bytes long and verified. Throws KEYSTORE_UNAVAILABLE when
   * the key cannot be used now, and SIGNER_MISMATCH for a keypair whose halves differ.
   */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
};
