import { describeError } from '../../failure/describe-error.ts';
import type { Loaded } from '../../owner/use-load.ts';
import { Button } from '../controls/button.tsx';
import { Notice } from './notice.tsx';

/** Stands in the place of what could not be loaded, with a button that loads it again. */
export const LoadError = ({
  loaded,
  what,
}: {
  readonly loaded: Pick<Loaded<unknown>, 'error' | 'refresh'>;
  /** What could not be loaded: `the sessions`. */
  readonly what: string;
}) => {
  const { title, remedy } = describeError(loaded.error);
  return (
    <Notice
      kind="danger"
      title={`Could not load ${what}.`}
      action={<Button onClick={() => void loaded.refresh()}>Try again</Button>}
    >
      {title} {remedy}
    </Notice>
  );
};
