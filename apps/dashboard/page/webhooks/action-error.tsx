import { Notice } from '../design/feedback/notice.tsx';
import { describeError } from '../failure/describe-error.ts';

/** Why a call failed; nothing while none has. */
export const ActionError = ({ error }: { readonly error: unknown }) => {
  if (error === undefined) return null;
  const { title, remedy } = describeError(error);
  return (
    <Notice kind="danger" title={title}>
      {remedy}
    </Notice>
  );
};
