/** An instruction as it must be, described from what was asked. */
export type ExpectedInstruction = {
  readonly name: string;
  readonly programId: string;
  /** In the order of the instruction. */
  readonly accounts: readonly ExpectedAccount[];
  /** The first bytes of the data, which name the instruction. */
  readonly discriminator: readonly number[];
  /** The rest of the data, in this order, in Borsh. */
  readonly args: readonly ExpectedArg[];
};

export type Rights = 'readonly' | 'writable' | 'signer' | 'writable signer';

type ExpectedAccount = {
  readonly name: string;
  readonly address: string;
  readonly rights: Rights;
};

/** Integers are bigint, `pubkey` base58 text, `pubkeys` a vector of them, `bytes16` hex text. */
export type ArgValue = bigint | boolean | string | readonly string[];

type ArgType = 'u16' | 'u64' | 'i64' | 'bool' | 'pubkey' | 'pubkeys' | 'bytes16';

export type ExpectedArg =
  | { readonly name: string; readonly type: ArgType; readonly value: ArgValue }
  /** Unix seconds, not far from now. */
  | { readonly name: string; readonly type: 'i64'; readonly rule: 'deadline' }
  /** A value that only the chain knows: the program compares it. */
  | { readonly name: string; readonly type: 'u64'; readonly rule: 'any' };

/** An instruction in readable form. */
export type DecodedInstruction = {
  readonly name: string;
  readonly args: Readonly<Record<string, ArgValue>>;
};
