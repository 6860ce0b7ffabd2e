import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './card.css';

/** A part of a view with its heading and, beside it, its actions. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-header">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
};
