/** A key that encrypts the data keys of the keystore. */
export type WrappingKey = {
  /** Names the key in the database; reveals nothing of it. */
  readonly id: string;
  /** Encrypts a data key for its version; the version is authenticated. */
  readonly wrap: (dataKey: Buffer, version: number) => Promise<Buffer>;
  /** Throws KEYSTORE_UNAVAILABLE when the bytes do not decrypt, or when the key cannot be used now. */
  readonly unwrap: (wrapped: Buffer, version: number) => Promise<Buffer>;
  /** The 32 bytes of a local key, which sealed session keys itself before data keys existed. */
  readonly direct: Buffer | null;
};

/** Upper bound of one call to another system. */
export const WRAPPING_TIMEOUT_MS = 5_000;

/** Authenticated with a wrapped key: it cannot take the place of another version. */
export const contextOf = (version: number): string => `agent-wallet keystore ${version}`;
