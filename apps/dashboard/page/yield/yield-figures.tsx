import type { WalletYield } from '@agent-wallet/sdk/owner';
import { amountText } from '../design/content/amount-text.ts';
import { Amount } from '../design/content/amount.tsx';
import { shareText, shareOfBp } from './share.ts';

/** The position in figures, and as a bar of what is deployed and what may be. */
export const YieldFigures = ({
  position,
  isEnabled,
  maxShareBp,
}: {
  readonly position: WalletYield;
  readonly isEnabled: boolean;
  /** Basis points of the balance. */
  readonly maxShareBp: number;
}) => {
  const { liquid, deployed, accrued, total_balance, earned } = position;
  const shareBp = shareOfBp(deployed, total_balance);
  return (
    <>
      <dl class="yield-figures">
        <Figure name="Deployed" baseUnits={deployed} isMain />
        <Figure
          name="Accrued"
          baseUnits={accrued}
          note={accrued === null ? missing(isEnabled) : 'Not yet paid out'}
        />
        <div>
          <dt>Earned so far</dt>
          <dd>{earned === null ? '—' : <Earned baseUnits={earned} />}</dd>
          <dd class="yield-note">
            {earned === null ? missing(isEnabled) : 'Over the life of the wallet'}
          </dd>
        </div>
        <Figure
          name="Liquid"
          baseUnits={liquid}
          note={liquid === null ? 'The chain could not be read' : 'Can be spent now'}
        />
      </dl>
      <div class="yield-share">
        <div class="yield-bar" aria-hidden="true">
          <span class="yield-bar-used" style={{ width: `${shareBp / 100}%` }} />
          <span class="yield-bar-max" style={{ left: `${maxShareBp / 100}%` }} />
        </div>
        <p class="soft">
          {shareText(shareBp)} of {amountText(total_balance)} USDC is deployed; at most{' '}
          {shareText(maxShareBp)} may be.
        </p>
      </div>
    </>
  );
};

const Figure = ({
  name,
  baseUnits,
  note,
  isMain = false,
}: {
  readonly name: string;
  readonly baseUnits: bigint | null;
  readonly note?: string;
  readonly isMain?: boolean;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Amount baseUnits={baseUnits} size={isMain ? 'large' : 'text'} />
    </dd>
    {note === undefined ? null : <dd class="yield-note">{note}</dd>}
  </div>
);

/** After a loss, what was earned is negative. */
const Earned = ({ baseUnits }: { readonly baseUnits: bigint }) =>
  baseUnits < 0n ? (
    <span class="yield-loss">
      −<Amount baseUnits={-baseUnits} />
    </span>
  ) : (
    <Amount baseUnits={baseUnits} />
  );

const missing = (isEnabled: boolean): string =>
  isEnabled ? 'Not known at the moment' : 'Not known while yield is off';
