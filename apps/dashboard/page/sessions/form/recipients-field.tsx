import { useId } from 'preact/hooks';
import { Notice } from '../../design/feedback/notice.tsx';
import { MAX_RECIPIENTS } from './session-form.ts';
import { useMissingAccounts } from './use-missing-accounts.ts';
import './form.css';

/** The recipients of a session, each on a line, with those that cannot be paid yet. */
export const RecipientsField = ({
  text,
  error,
  recipients,
  onChange,
}: {
  readonly text: string;
  readonly error: string | undefined;
  /** Those in `text`, or none while it is refused. */
  readonly recipients: readonly string[];
  readonly onChange: (text: string) => void;
}) => {
  const id = useId();
  const check = useMissingAccounts(recipients);
  return (
    <div class="field">
      <label class="field-label" for={id}>
        Recipients
      </label>
      <span class="field-hint" id={`${id}-hint`}>
        Solana addresses of the wallets that may be paid, one per line, at most {MAX_RECIPIENTS}.
        The agent cannot pay anybody else.
      </span>
      <span class={`field-box${error === undefined ? '' : ' field-box-refused'}`}>
        <textarea
          id={id}
          class="form-recipients mono"
          rows={4}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </span>
      <span class="field-error" id={`${id}-error`} role="alert">
        {error}
      </span>
      <MissingAccounts check={check} />
    </div>
  );
};

const MissingAccounts = ({ check }: { readonly check: ReturnType<typeof useMissingAccounts> }) => {
  switch (check.kind) {
    case 'idle':
      return null;
    case 'checking':
      return (
        <p class="soft" role="status">
          Looking for the USDC accounts of the recipients …
        </p>
      );
    case 'unknown':
      return (
        <Notice kind="warning" title="The recipients’ USDC accounts could not be checked.">
          The network does not answer. A payment to a wallet without a USDC account is refused.
        </Notice>
      );
    case 'checked':
      return check.missing.length === 0 ? (
        <p class="form-found" role="status">
          {check.count === 1 ? 'The recipient has a USDC account.' : 'All have a USDC account.'}
        </p>
      ) : (
        <Notice
          kind="warning"
          title={
            check.missing.length === 1
              ? 'A recipient has no USDC account yet.'
              : `${check.missing.length} recipients have no USDC account yet.`
          }
        >
          Payments to {check.missing.length === 1 ? 'it' : 'them'} are refused until the owner of
          the wallet creates one, for example by receiving USDC once:
          <ul class="form-missing mono">
            {check.missing.map((address) => (
              <li key={address}>{address}</li>
            ))}
          </ul>
        </Notice>
      );
  }
};
