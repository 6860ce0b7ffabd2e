import { z } from 'zod';
import { AgentWalletError } from '../../http/agent-wallet-error.ts';
import { badRequest } from '../../http/read-url.ts';
import type { OwnerSigner } from './owner-signer.ts';

/** A wallet of the Wallet Standard; any of its versions fits. */
export type StandardWallet = {
  readonly name: string;
  readonly features: Readonly<Record<string, unknown>>;
};

/** An account that a wallet has given to the page. */
export type StandardAccount = {
  /** Base58. */
  readonly address: string;
};

const bytes = z.instanceof(Uint8Array);
const signedMessages = z.tuple([z.looseObject({ signature: bytes })]);
const signedTransactions = z.tuple([z.looseObject({ signedTransaction: bytes })]);

/**
 * The signer of a connected account of a browser wallet, by its features `solana:signMessage` and
 * `solana:signTransaction`. `chain` tells the wallet where the transaction goes, such as
 * `solana:devnet`. Throws `BAD_REQUEST` for a wallet without the features. What the wallet throws,
 * such as the user's rejection, passes through.
 */
export function walletStandardSigner(
  wallet: StandardWallet,
  account: StandardAccount,
  { chain }: { readonly chain?: `${string}:${string}` } = {},
): OwnerSigner {
  const signMessage = methodOf(wallet, 'solana:signMessage', 'signMessage');
  const signTransaction = methodOf(wallet, 'solana:signTransaction', 'signTransaction');
  const onChain = chain === undefined ? {} : { chain };
  return {
    address: account.address,
    signMessage: async (message) => {
      const { data } = signedMessages.safeParse(await signMessage({ account, message }));
      if (data === undefined) throw nothingFrom(wallet);
      return data[0].signature;
    },
    signTransaction: async (transaction) => {
      const input = { account, transaction, ...onChain };
      const { data } = signedTransactions.safeParse(await signTransaction(input));
      if (data === undefined) throw nothingFrom(wallet);
      return data[0].signedTransaction;
    },
  };
}

const nothingFrom = ({ name }: StandardWallet): AgentWalletError =>
  new AgentWalletError({ code: 'SIGNED_MISMATCH', error: `${name} returned no signature` });

/** A method of a feature, bound to it. Its types are the wallet's word: replies are parsed. */
function methodOf(
  { name, features }: StandardWallet,
  featureName: string,
  methodName: string,
): (input: object) => Promise<unknown> {
  const feature = features[featureName];
  const method: unknown =
    typeof feature === 'object' && feature !== null ? Reflect.get(feature, methodName) : undefined;
  if (typeof method !== 'function') throw badRequest(`${name} does not have ${featureName}`);
  return async (input) => {
    const reply: unknown = await Reflect.apply(method, feature, [input]);
    return reply;
  };
}
