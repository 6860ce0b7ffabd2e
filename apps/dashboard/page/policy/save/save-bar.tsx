import { useState } from 'preact/hooks';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/feedback/dialog.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { describeError } from '../../failure/describe-error.ts';
import type { PolicyChange } from '../policy-changes.ts';
import './save-bar.css';

type Result = 'saved' | 'changed_elsewhere';

const EFFECTS = {
  allows_more: ['warning', 'Allows more'],
  allows_less: ['positive', 'Allows less'],
  differs: ['neutral', 'Differs'],
} as const;

/** What is unsaved; every change is shown before it is saved. */
export const SaveBar = ({
  version,
  changes,
  onDiscard,
  onSave,
}: {
  /** The version in force. */
  readonly version: number;
  /** Null while something is wrong with the draft. */
  readonly changes: readonly PolicyChange[] | null;
  readonly onDiscard: () => void;
  readonly onSave: () => Promise<Result>;
}) => {
  const [isReviewed, setReviewed] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const isChanged = changes === null || changes.length > 0;
  return (
    <>
      <div class={`save-bar${isChanged ? ' save-bar-changed' : ''}`}>
        <p role="status">{stateText(changes, result, version)}</p>
        {isChanged ? (
          <div class="save-bar-buttons">
            <Button onClick={onDiscard}>Discard</Button>
            <Button
              kind="primary"
              isDisabled={changes === null}
              onClick={() => {
                setResult(null);
                setReviewed(true);
              }}
            >
              Review and save
            </Button>
          </div>
        ) : null}
      </div>
      {isReviewed && changes !== null ? (
        <Review
          changes={changes}
          wasChangedElsewhere={result === 'changed_elsewhere'}
          onSave={async () => {
            const found = await onSave();
            setResult(found);
            if (found === 'saved') setReviewed(false);
          }}
          onClose={() => setReviewed(false)}
        />
      ) : null}
    </>
  );
};

function stateText(
  changes: readonly PolicyChange[] | null,
  result: Result | null,
  version: number,
): string {
  if (changes === null) return 'Correct the marked fields to save.';
  if (changes.length === 1) return '1 unsaved change';
  if (changes.length > 1) return `${changes.length} unsaved changes`;
  if (result === 'saved') return `Saved. Version ${version} is in force from the next request on.`;
  return version === 0 ? 'No rules are set yet.' : `Version ${version} is in force.`;
}

const Review = ({
  changes,
  wasChangedElsewhere,
  onSave,
  onClose,
}: {
  readonly changes: readonly PolicyChange[];
  readonly wasChangedElsewhere: boolean;
  readonly onSave: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const described = error === null ? null : describeError(error);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await onSave();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Save the policy"
      {...(isBusy ? {} : { onClose })}
      footer={
        <>
          <Button isDisabled={isBusy} onClick={onClose}>
            Keep editing
          </Button>
          <Button
            kind="primary"
            isBusy={isBusy}
            isDisabled={changes.length === 0}
            onClick={() => void save()}
          >
            Save
          </Button>
        </>
      }
    >
      {wasChangedElsewhere ? (
        <Notice kind="warning" title="The policy was changed elsewhere meanwhile.">
          Compare again: this list now shows what saving changes in the newer one.
        </Notice>
      ) : null}
      {described === null ? null : (
        <Notice kind="danger" title={described.title}>
          {described.remedy}
        </Notice>
      )}
      {changes.length === 0 ? <p>The rules in force are already the same.</p> : null}
      <ul class="save-changes">
        {changes.map(({ effect, text }) => {
          const [kind, name] = EFFECTS[effect];
          return (
            <li key={text}>
              <StatusBadge kind={kind}>{name}</StatusBadge>
              <span>{text}</span>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
};
