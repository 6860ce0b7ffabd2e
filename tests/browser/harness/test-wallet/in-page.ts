/** A wallet of the Wallet Standard inside the tested page. It keeps its orders over a reload. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { registerWallet } from '@wallet-standard/wallet';
import bs58 from 'bs58';
import type { Orders } from './orders.ts';

declare global {
  var testWallet: { obey(orders: Orders): void } | undefined;
  /** Set by the script before this one. */
  var testWalletOrders: Orders;
}

const KEPT = 'test-wallet:orders';
const ALLOWED = 'test-wallet:allowed';
const CHAINS = ['solana:devnet', 'solana:mainnet'] as const;
const FEATURES = ['solana:signMessage', 'solana:signTransaction'] as const;
const ICON =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAzMiAzMiI+PHJlY3Qgd2lkdGg9IjMyIiBoZWlnaHQ9IjMyIiByeD0iOCIgZmlsbD0iIzFmOGE1YiIvPjxwYXRoIGQ9Ik05IDE2LjVsNSA1IDktMTEiIGZpbGw9Im5vbmUiIHN0cm9rZT0iI2ZmZiIgc3Ryb2tlLXdpZHRoPSIzIi8+PC9zdmc+';
const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
/** 1000 micro-lamports for each compute unit. */
const SET_UNIT_PRICE = [3, 232, 3, 0, 0, 0, 0, 0, 0];
const SIGNATURE_START = 1;
const MESSAGE_START = 65;

type Account = ReturnType<typeof accountOf>;
type Changed = (change: { readonly accounts: readonly Account[] }) => void;

const kept = sessionStorage.getItem(KEPT);
let orders: Orders = kept === null ? globalThis.testWalletOrders : JSON.parse(kept);
let accounts: readonly Account[] = [];
const listeners = new Set<Changed>();

function accountOf(seed: string) {
  const secretKey = bs58.decode(seed);
  const publicKey = ed25519.getPublicKey(secretKey);
  return {
    address: bs58.encode(publicKey),
    publicKey,
    chains: CHAINS,
    features: FEATURES,
    secretKey,
  };
}

function selected(): readonly Account[] {
  const seed = orders.seeds[orders.selected];
  return seed === undefined ? [] : [accountOf(seed)];
}

function offer(next: readonly Account[]): void {
  accounts = next;
  for (const listener of listeners) listener({ accounts });
}

function refuse(): never {
  throw new Error('User rejected the request.');
}

function sign(account: { readonly address: string }, bytes: Uint8Array): Uint8Array {
  if (orders.signing === 'rejects') refuse();
  if (orders.signing === 'other-network') throw new Error('The wallet is on another network.');
  if (orders.signing === 'other-account') {
    const other = orders.seeds.map(accountOf).find(({ address }) => address !== account.address);
    return ed25519.sign(bytes, (other ?? refuse()).secretKey);
  }
  const found = accounts.find(({ address }) => address === account.address) ?? refuse();
  return ed25519.sign(bytes, found.secretKey);
}

/** Changes the last byte where the wallet is told to sign something else. */
function chosen(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  if (orders.signing === 'other-bytes') copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

/** The transaction with a last instruction that sets the price of a compute unit. */
function withBudget(transaction: Uint8Array): Uint8Array {
  const message = transaction.subarray(MESSAGE_START);
  const [signers = 0, readonlySigners = 0, readonlyOthers = 0, accountCount = 0] = message;
  const accountsEnd = 4 + accountCount * 32;
  const instructionsAt = accountsEnd + 32;
  return Uint8Array.from([
    ...transaction.subarray(0, MESSAGE_START),
    signers,
    readonlySigners,
    readonlyOthers + 1,
    accountCount + 1,
    ...message.subarray(4, accountsEnd),
    ...bs58.decode(COMPUTE_BUDGET_PROGRAM),
    ...message.subarray(accountsEnd, instructionsAt),
    (message[instructionsAt] ?? 0) + 1,
    ...message.subarray(instructionsAt + 1),
    accountCount,
    0,
    SET_UNIT_PRICE.length,
    ...SET_UNIT_PRICE,
  ]);
}

type Input<Name extends string> = Readonly<
  { account: { address: string } } & Record<Name, Uint8Array>
>;

registerWallet({
  version: '1.0.0',
  name: 'Test Wallet',
  icon: ICON,
  chains: CHAINS,
  get accounts() {
    return accounts;
  },
  features: {
    'standard:connect': {
      version: '1.0.0',
      connect: async ({ silent = false }: { readonly silent?: boolean } = {}) => {
        if (silent && localStorage.getItem(ALLOWED) === null) return { accounts: [] };
        if (orders.connecting === 'rejects') refuse();
        localStorage.setItem(ALLOWED, 'yes');
        offer(selected());
        return { accounts };
      },
    },
    'standard:disconnect': {
      version: '1.0.0',
      disconnect: async () => {
        localStorage.removeItem(ALLOWED);
        offer([]);
      },
    },
    'standard:events': {
      version: '1.0.0',
      on: (_event: 'change', listener: Changed) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    'solana:signMessage': {
      version: '1.1.0',
      signMessage: async (...inputs: readonly Input<'message'>[]) =>
        inputs.map(({ account, message }) => {
          const signedMessage = chosen(message);
          return { signedMessage, signature: sign(account, signedMessage) };
        }),
    },
    'solana:signTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signTransaction: async (...inputs: readonly Input<'transaction'>[]) =>
        inputs.map(({ account, transaction }) => {
          const signedTransaction =
            orders.signing === 'adds-budget' ? withBudget(transaction) : chosen(transaction);
          const signature = sign(account, signedTransaction.subarray(MESSAGE_START));
          signedTransaction.set(signature, SIGNATURE_START);
          return { signedTransaction };
        }),
    },
  },
});

globalThis.testWallet = {
  obey: (next) => {
    const isOther = next.selected !== orders.selected;
    orders = next;
    sessionStorage.setItem(KEPT, JSON.stringify(next));
    if (isOther && accounts.length > 0) offer(selected());
  },
};
