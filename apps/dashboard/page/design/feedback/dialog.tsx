import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import './dialog.css';

/**
 * A modal dialog while it is rendered. The browser keeps the focus inside and returns it afterwards.
 * `onClose` is called for Escape; without it the dialog cannot be left.
 */
export const Dialog = ({
  title,
  children,
  footer,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The buttons; the primary one last. */
  readonly footer: ComponentChildren;
  readonly onClose?: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <div class="dialog-content">{children}</div>
      <div class="dialog-footer">{footer}</div>
    </dialog>
  );
};
