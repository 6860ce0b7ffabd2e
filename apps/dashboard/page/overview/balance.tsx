import type { Wallet } from '@agent-wallet/sdk/owner';
import { Amount } from '../design/content/amount.tsx';
import { Card } from '../design/content/card.tsx';
import { ButtonLink } from '../design/controls/button.tsx';
import { ROUTES } from '../routes.ts';

/** What the vault holds, and what of it is deployed to yield. */
export const Balance = ({ wallet: { liquid, deployed_amount } }: { readonly wallet: Wallet }) => (
  <Card title="Balance">
    <Amount baseUnits={liquid === null ? null : liquid + deployed_amount} size="large" />
    <dl class="overview-figures">
      <div>
        <dt>Liquid</dt>
        <dd>
          <Amount baseUnits={liquid} />
        </dd>
      </div>
      <div>
        <dt>Deployed to yield</dt>
        <dd>
          <Amount baseUnits={deployed_amount} />
        </dd>
      </div>
    </dl>
    <div class="overview-actions">
      <ButtonLink kind="primary" href={ROUTES.fund}>
        Add funds
      </ButtonLink>
      <ButtonLink href={ROUTES.withdraw}>Withdraw</ButtonLink>
    </div>
  </Card>
);
