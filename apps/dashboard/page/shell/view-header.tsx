import type { ComponentChildren } from 'preact';
import './view-header.css';

/** The title of a view, a sentence below it, and the actions beside it. */
export const ViewHeader = ({
  title,
  children,
  actions,
}: {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) => (
  <header class="view-header">
    <div>
      <h1>{title}</h1>
      {children === undefined ? null : <p class="soft">{children}</p>}
    </div>
    {actions === undefined ? null : <div class="view-header-actions">{actions}</div>}
  </header>
);
