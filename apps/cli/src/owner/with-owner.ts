import {
  createOwnerClient,
  keypairSigner,
  type OwnerClient,
  type OwnerSigner,
} from '@agent-wallet/sdk/owner';
import bs58 from 'bs58';
import type { Context } from '../command-line/add-command.ts';
import { readKeypairFile } from '../keypair-file.ts';
import type { OwnerInput } from './owner-inputs.ts';

/** An owner who is signed in, for one command. */
export type SignedInOwner = {
  readonly client: OwnerClient;
  readonly address: string;
  /** The signature of the last transaction that was signed; null before. */
  lastSignature(): string | null;
};

/** In front of the message: the count of signatures, and one of 64 bytes. */
const SIGNATURE_AT = 1;
const MESSAGE_AT = 65;
const SIGN_OUT_MS = 5_000;

/** Signs in with the key of the file, runs the work, and signs out. */
export async function withOwner<Result>(
  input: OwnerInput & { readonly rpc?: string },
  { signal, terminal }: Context,
  work: (owner: SignedInOwner) => Promise<Result>,
): Promise<Result> {
  const { address, secretKey } = readKeypairFile(input.keypair);
  const { site } = input;
  const signed: string[] = [];
  const client = createOwnerClient({
    url: input.url,
    signer: signerOf(secretKey, { signed, site, note: (line) => terminal.note(line) }),
    ...(site === undefined ? {} : { site }),
    deployment: {
      programId: input.program,
      usdcMint: input.mint,
      ...(input.network === undefined ? {} : { reserve: input.network }),
    },
    timeoutMs: input.timeout,
    ...(input.rpc === undefined ? {} : { rpcUrl: input.rpc }),
  });
  await terminal.whileWaiting('signing in', client.signIn({ signal }));
  try {
    const lastSignature = () => signed.at(-1) ?? null;
    return await work({ client, address, lastSignature });
  } finally {
    // The sign-in would end by itself.
    await client.signOut({ timeoutMs: SIGN_OUT_MS }).catch(() => undefined);
  }
}

/**
 * Writes down the signature of each transaction before the transaction leaves. Without a `site` that
 * the sign-in is compared with, the user gets to see where it is.
 */
function signerOf(
  secretKey: Uint8Array,
  {
    signed,
    site,
    note,
  }: {
    readonly signed: string[];
    readonly site: string | undefined;
    readonly note: (line: string) => void;
  },
): OwnerSigner {
  const signer = keypairSigner(secretKey);
  return {
    address: signer.address,
    signMessage: async (message) => {
      // The SDK has checked that the text of a sign-in begins with the host.
      const [host] = new TextDecoder().decode(message).split(' ', 1);
      if (site === undefined) note(`Signing in to ${host}.`);
      return signer.signMessage(message);
    },
    signTransaction: async (transaction) => {
      const bytes = await signer.signTransaction(transaction);
      signed.push(bs58.encode(bytes.subarray(SIGNATURE_AT, MESSAGE_AT)));
      return bytes;
    },
  };
}
