import type { ButtonHTMLAttributes } from 'preact';
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
