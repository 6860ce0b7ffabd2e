import { shortAddress } from '../design/controls/copyable.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useWallet } from '../wallet/wallet-context.tsx';
import type { TransactionWords } from './describe-transaction.ts';
import { momentText } from './moment-text.ts';

/** Of a transaction with one signature; wallets may add a fee for priority. */
const BASE_FEE = '0.000005 SOL';
const LAMPORTS = 1_000_000_000;

/** What a transaction does and what it costs, before it is signed. */
export const TransactionFacts = ({ words }: { readonly words: TransactionWords }) => {
  const { address } = useOwner();
  const { connection } = useWallet();
  const { sentences, addresses, deadline, depositLamports } = words;
  return (
    <div class="transaction">
      {[...Map.groupBy(sentences, (sentence) => sentence)].map(([sentence, equal]) => (
        <p key={sentence} class="transaction-sentence">
          {sentence}
          {equal.length === 1 ? '' : ` ${equal.length} times.`}
        </p>
      ))}
      {addresses.map(({ label, values }) => (
        <div key={label}>
          <h3>{label}</h3>
          <ul class="transaction-addresses mono">
            {values.map((value) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
        </div>
      ))}
      <dl class="transaction-facts">
        <dt>Signed and paid by</dt>
        <dd>
          <span class="mono" title={address}>
            {shortAddress(address)}
          </span>
          {connection === null ? '' : `, in ${connection.wallet.name}`}
        </dd>
        <dt>Network fee</dt>
        <dd>{BASE_FEE}, and what your wallet adds for priority</dd>
        {depositLamports === 0 ? null : (
          <>
            <dt>Deposit</dt>
            <dd>
              About {(depositLamports / LAMPORTS).toFixed(4)} SOL for accounts on chain. It comes
              back when they are closed.
            </dd>
          </>
        )}
        <dt>Good until</dt>
        <dd>{deadline === null ? 'No deadline' : momentText(deadline)}</dd>
      </dl>
    </div>
  );
};
