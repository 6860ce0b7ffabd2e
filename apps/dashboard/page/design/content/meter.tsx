import './meter.css';

const PERCENT = 100n;

/** How much of a limit is used, as a bar; the numbers stand beside it. */
export const Meter = ({ used, of }: { readonly used: bigint; readonly of: bigint }) => {
  const percent = of === 0n ? PERCENT : (used * PERCENT) / of;
  const width = `${percent > PERCENT ? PERCENT : percent}%`;
  return (
    <span class="meter" aria-hidden="true">
      <span class={percent >= PERCENT ? 'meter-full' : ''} style={{ width }} />
    </span>
  );
};
