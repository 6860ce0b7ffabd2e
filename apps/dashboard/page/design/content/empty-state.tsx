import type { ComponentChildren } from 'preact';
import './empty-state.css';

/** What stands where a list has nothing yet: why, and what to do about it. */
export const EmptyState = ({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) => (
  <div class="empty-state">
    <h2>{title}</h2>
    <p class="soft">{children}</p>
    {action}
  </div>
);
