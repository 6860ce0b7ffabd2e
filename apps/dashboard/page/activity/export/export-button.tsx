import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../design/controls/button.tsx';
import { describeError } from '../../failure/describe-error.ts';
import { type Exported, MAX_EXPORTED } from './export-list.ts';
import './export-button.css';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'reading'; readonly count: number }
  | { readonly kind: 'done'; readonly count: number; readonly isCut: boolean }
  | { readonly kind: 'failed'; readonly error: unknown };

const COUNT_STEP = 100;

/** Saves all rows of the filter as a CSV file, and says how many there are. */
export const ExportButton = ({
  name,
  read,
}: {
  /** The first part of the file's name. */
  readonly name: string;
  readonly read: (signal: AbortSignal, onRow: (count: number) => void) => Promise<Exported>;
}) => {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const reading = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => reading.current?.abort(), []);

  const save = async () => {
    const mine = new AbortController();
    reading.current = mine;
    setState({ kind: 'reading', count: 0 });
    try {
      const { csv, count, isCut } = await read(mine.signal, (rows) => {
        if (rows % COUNT_STEP === 0) setState({ kind: 'reading', count: rows });
      });
      const day = new Date().toISOString().slice(0, 10);
      download(`${name}-${day}${isCut ? `-first-${MAX_EXPORTED}` : ''}.csv`, csv);
      setState({ kind: 'done', count, isCut });
    } catch (error) {
      setState(mine.signal.aborted ? { kind: 'idle' } : { kind: 'failed', error });
    }
  };

  return (
    <div class="export">
      <span class="export-state" role="status">
        <Said state={state} />
      </span>
      {state.kind === 'reading' ? (
        <Button onClick={() => reading.current?.abort()}>Stop</Button>
      ) : (
        <Button onClick={() => void save()}>Export CSV</Button>
      )}
    </div>
  );
};

const Said = ({ state }: { readonly state: State }) => {
  switch (state.kind) {
    case 'idle':
      return null;
    case 'reading':
      return <>Reading{state.count === 0 ? '' : ` ${state.count} rows`}…</>;
    case 'failed':
      return <>Not exported. {describeError(state.error).title}</>;
    case 'done':
      return state.isCut ? (
        <>Saved the newest {MAX_EXPORTED} rows. There are more: choose a shorter time.</>
      ) : (
        <>{state.count === 1 ? 'Saved 1 row.' : `Saved ${state.count} rows.`}</>
      );
  }
};

function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has taken the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
