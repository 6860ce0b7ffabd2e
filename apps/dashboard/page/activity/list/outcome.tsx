import type { ComponentChildren } from 'preact';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import { findWords } from '../reasons/find-words.ts';
import './outcome.css';

type Kind = 'neutral' | 'positive' | 'warning' | 'danger';

/** How something ended, with the reason of a refusal in words. */
export const Outcome = ({
  kind,
  name,
  code,
  detail = null,
}: {
  readonly kind: Kind;
  readonly name: ComponentChildren;
  /** The reason or code as the API returns it; null without one. */
  readonly code: string | null;
  readonly detail?: string | null;
}) => {
  const words = code === null ? null : findWords(code);
  return (
    <div class="outcome">
      <StatusBadge kind={kind}>{name}</StatusBadge>
      {words === null ? null : (
        <p class="outcome-why" title={detail ?? undefined}>
          {words.why}
          {words.advice === undefined ? null : <span class="soft"> {words.advice}</span>}
        </p>
      )}
      {code === null ? null : <code class="outcome-code">{code}</code>}
    </div>
  );
};
