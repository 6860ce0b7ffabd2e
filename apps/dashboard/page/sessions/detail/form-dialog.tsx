import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/feedback/dialog.tsx';
import '../form/form.css';

/** A dialog with a form whose content becomes a transaction. */
export const FormDialog = ({
  title,
  children,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}) => {
  const id = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id}>
            Review and sign
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
};
