import type { OwnerTransaction } from '@agent-wallet/sdk/owner';
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useMemo, useState } from 'preact/hooks';
import { TransactionDialog } from './transaction-dialog.tsx';

/** What a view wants signed. */
export type TransactionRequest = {
  /** What the owner asked for, as a heading: `Pause all spending`. */
  readonly title: string;
  /** Returns the transaction; the client has compared it with what was asked. */
  readonly prepare: () => Promise<OwnerTransaction>;
  /** Called once the chain has confirmed it. */
  readonly onDone: () => void | Promise<void>;
  /** Of the button that closes the dialog afterwards: `Done` by default. */
  readonly doneLabel?: string;
  /** What closing the dialog before the confirmation loses, in a sentence. */
  readonly lostByClosing?: string;
  /** Called when the dialog is closed after the confirmation. */
  readonly onClosed?: () => void;
};

type Transactions = {
  /** Shows what the transaction does, has the owner sign it, sends it and waits. */
  readonly run: (request: TransactionRequest) => void;
};

const Context = createContext<Transactions | null>(null);

/** The one place through which every transaction of the page goes. */
export const TransactionProvider = ({ children }: { readonly children: ComponentChildren }) => {
  const [request, setRequest] = useState<TransactionRequest | null>(null);
  const close = useCallback(() => setRequest(null), []);
  const transactions = useMemo(() => ({ run: setRequest }), []);
  return (
    <Context.Provider value={transactions}>
      {children}
      {request === null ? null : <TransactionDialog request={request} onClose={close} />}
    </Context.Provider>
  );
};

export function useTransaction(): Transactions {
  const transactions = useContext(Context);
  if (transactions === null) throw new Error('useTransaction outside of TransactionProvider');
  return transactions;
}
