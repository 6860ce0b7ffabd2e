/** The owner's wallet, in a form that Wallet Standard and a keypair both fit. */
export type OwnerSigner = {
  /** Base58. */
  readonly address: string;
  /** Returns the 64 bytes of the signature. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
  /** Takes a transaction in wire form and returns it signed. */
  signTransaction(transaction: Uint8Array): Promise<Uint8Array>;
};
