import type { ComponentChildren } from 'preact';
import './notice.css';

/** A message about the view or an action. `danger` is announced at once, the others politely. */
export const Notice = ({
  kind,
  title,
  children,
  action,
}: {
  readonly kind: 'info' | 'positive' | 'warning' | 'danger';
  readonly title: string;
  readonly children?: ComponentChildren;
  /** A button, at the end. */
  readonly action?: ComponentChildren;
}) => (
  <div class={`notice notice-${kind}`} role={kind === 'danger' ? 'alert' : 'status'}>
    <div class="notice-text">
      <strong>{title}</strong>
      {children === undefined ? null : <div>{children}</div>}
    </div>
    {action}
  </div>
);
