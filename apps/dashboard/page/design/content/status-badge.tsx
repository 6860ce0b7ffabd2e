import type { ComponentChildren } from 'preact';
import './status-badge.css';

/** A short state beside a name. The words carry the meaning, the colour only repeats it. */
export const StatusBadge = ({
  kind,
  children,
}: {
  readonly kind: 'neutral' | 'positive' | 'warning' | 'danger';
  readonly children: ComponentChildren;
}) => <span class={`badge badge-${kind}`}>{children}</span>;
