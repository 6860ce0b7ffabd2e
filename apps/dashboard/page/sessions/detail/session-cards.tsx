import type { Session } from '@agent-wallet/sdk/owner';
import type { ComponentChildren } from 'preact';
import { readFilter, writeFilter } from '../../activity/filter/filter.ts';
import { amountText } from '../../design/content/amount-text.ts';
import { Card } from '../../design/content/card.tsx';
import { Copyable } from '../../design/controls/copyable.tsx';
import { ROUTES } from '../../routes.ts';
import { ExplorerLink } from '../../transactions/explorer-link.tsx';
import { momentText } from '../../transactions/moment-text.ts';
import { ACTIONS, actionsOf } from '../form/session-actions.ts';
import { useMissingAccounts } from '../form/use-missing-accounts.ts';
import { SpentBar } from '../list/spent-bar.tsx';
import { WorstCase } from '../list/worst-case.tsx';

/** Everything that is known of a session. */
export const SessionCards = ({ session }: { readonly session: Session }) => (
  <div class="session-cards">
    <Card title="Spending">
      <SpentBar spent={session.daily_spent} cap={session.daily_cap} />
      <Facts
        rows={[
          ['Left now', `${amountText(session.daily_remaining)} USDC`],
          ['More from', moreFrom(session)],
        ]}
      />
      <a
        href={`${ROUTES.activity}${writeFilter({ ...readFilter({}), session: session.session_id })}`}
      >
        Look at its payments
      </a>
    </Card>
    <Card title="Could spend at worst, in USDC">
      <WorstCase session={session} />
      <p class="soft">
        {session.status === 'live'
          ? 'What the agent, or a thief with its key, could spend if the vault holds enough.'
          : 'It can spend nothing in this state; these are the amounts of its limits.'}
      </p>
    </Card>
    <Card title="Limits">
      <Facts
        rows={[
          ['At most per payment', `${amountText(session.max_per_tx)} USDC`],
          ['At most in 24 hours', `${amountText(session.daily_cap)} USDC`],
          [session.status === 'expired' ? 'Expired' : 'Expires', momentText(session.expiry)],
          ['May', mayDo(session.allowed_instructions)],
        ]}
      />
    </Card>
    <Recipients session={session} />
    <Card title="Key of the agent">
      <Facts
        rows={[
          ['Starts with', <code key="prefix">{session.key_prefix ?? '—'}</code>],
          ['Whole key', 'Shown once, when it is created'],
        ]}
      />
    </Card>
    <Card title="On chain">
      <Facts
        rows={[
          ['Number', session.session_index === null ? '—' : String(session.session_index)],
          [
            'Account',
            <Copyable key="account" value={session.session_pda} name="the account" isShort />,
          ],
          [
            'Signing key, held by the service',
            <Copyable key="key" value={session.session_pubkey} name="the signing key" isShort />,
          ],
          ['Created', momentText(Math.floor(Date.parse(session.created_at) / 1_000))],
        ]}
      />
      <ExplorerLink kind="address" id={session.session_pda}>
        Look at the account
      </ExplorerLink>
    </Card>
  </div>
);

const moreFrom = ({ daily_resets_at }: Session): string =>
  daily_resets_at === null ? 'Nothing counts at the moment' : momentText(daily_resets_at);

const mayDo = (bits: number): string => {
  const allowed = actionsOf(bits);
  const labels = ACTIONS.filter(({ action }) => allowed.includes(action)).map(({ label }) => label);
  return labels.length === 0 ? 'Nothing' : labels.join('; ');
};

const Facts = ({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="session-facts">
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const Recipients = ({ session }: { readonly session: Session }) => {
  const { allowed_recipients: recipients, status } = session;
  const check = useMissingAccounts(status === 'revoked' ? [] : recipients);
  const missing = check.kind === 'checked' ? check.missing : [];
  return (
    <Card title="Recipients">
      {recipients.length === 0 ? <p class="soft">None: it can pay nobody.</p> : null}
      <ul class="session-recipients">
        {recipients.map((recipient) => (
          <li key={recipient}>
            <Copyable value={recipient} name={`the recipient ${recipient}`} />
            {missing.includes(recipient) ? (
              <p class="session-missing">
                No USDC account yet: payments to it are refused until it has one.
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </Card>
  );
};
