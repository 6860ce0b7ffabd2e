import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import './button.css';

type Props = Omit<ButtonHTMLAttributes, 'class' | 'disabled' | 'type'> & {
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  /** Shows that the action runs, and ignores clicks; the button keeps its width and its focus. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
};

/** A button; one `primary` on a view at most. */
export const Button = ({
  kind = 'secondary',
  type = 'button',
  isBusy = false,
  isDisabled = false,
  children,
  onClick,
  ...rest
}: Props) => (
  <button
    {...rest}
    type={type}
    class={`button button-${kind}`}
    disabled={isDisabled}
    aria-busy={isBusy}
    onClick={(event) => {
      if (isBusy) event.preventDefault();
      else onClick?.call(event.currentTarget, event);
    }}
  >
    <span class="button-label">{children}</span>
    {isBusy ? <span class="button-spinner" aria-hidden="true" /> : null}
  </button>
);

/** A link that looks like a button: it leads to a view and changes nothing. */
export const ButtonLink = ({
  kind = 'secondary',
  href,
  children,
}: {
  readonly kind?: 'primary' | 'secondary' | 'quiet';
  readonly href: string;
  readonly children: ComponentChildren;
}) => (
  <a class={`button button-${kind}`} href={href}>
    {children}
  </a>
);
