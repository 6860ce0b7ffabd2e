import { useState } from 'preact/hooks';
import { Card } from '../../design/content/card.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Field } from '../../design/controls/field.tsx';
import { type EntryDraft, faultsOf, MAX_ENTRIES } from '../policy-draft.ts';
import { tryUrl } from './try-url.ts';
import { TriedUrlText } from './tried-url-text.tsx';
import { UrlRow } from './url-row.tsx';
import './url-card.css';

/** The URL allowlist, and a URL that is tried against it while both are typed. */
export const UrlCard = ({
  entries,
  onChange,
}: {
  readonly entries: readonly EntryDraft[];
  readonly onChange: (entries: readonly EntryDraft[]) => void;
}) => {
  const [example, setExample] = useState('');
  const [added, setAdded] = useState<number | null>(null);
  const faults = faultsOf(entries);
  const tried = tryUrl(entries, example);
  const add = () => {
    const id = entries.reduce((highest, entry) => Math.max(highest, entry.id), -1) + 1;
    setAdded(id);
    onChange([...entries, { id, pattern: '', maxPerCall: '' }]);
  };
  return (
    <Card
      title="URLs that agents may pay"
      actions={
        <Button isDisabled={entries.length >= MAX_ENTRIES} onClick={add}>
          Add a URL
        </Button>
      }
    >
      <p class="soft url-hint">
        An https URL with its host written out. In the path, <code>*</code> stands for one part and{' '}
        <code>**</code> at the end for the rest. Services of the catalog need no entry.
      </p>
      {entries.length === 0 ? (
        <p class="url-none">No URL is allowed: agents cannot pay for URLs of their own choice.</p>
      ) : (
        <ul class="url-rows">
          {entries.map((entry, i) => (
            <UrlRow
              key={entry.id}
              entry={entry}
              place={i + 1}
              faults={faults[i] ?? { pattern: null, maxPerCall: null }}
              isNew={entry.id === added}
              isMatched={tried.kind === 'matched' && tried.ids.has(entry.id)}
              onChange={(next) =>
                onChange(entries.map((one) => (one.id === entry.id ? next : one)))
              }
              onRemove={() => onChange(entries.filter(({ id }) => id !== entry.id))}
            />
          ))}
        </ul>
      )}
      <div class="url-try">
        <Field
          label="Try a URL"
          hint="What the service would say about it under the rows above, saved or not"
          placeholder="https://api.example.com/v1/data"
          value={example}
          inputMode="url"
          onValue={setExample}
        />
        <TriedUrlText tried={tried} />
      </div>
    </Card>
  );
};
