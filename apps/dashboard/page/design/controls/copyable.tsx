import { useEffect, useState } from 'preact/hooks';
import './copyable.css';

const SHOWN_MS = 2_000;
const EDGE = 4;

/** The first and last characters of an address. */
export const shortAddress = (address: string): string =>
  `${address.slice(0, EDGE)}…${address.slice(-EDGE)}`;

/**
 * A value with a button that copies it. `name` says what it is, for the button's name; `isShort`
 * shows the ends of an address only.
 */
export const Copyable = ({
  value,
  name,
  isShort = false,
}: {
  readonly value: string;
  readonly name: string;
  readonly isShort?: boolean;
}) => {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <span class="copyable">
      <code class="copyable-value" title={isShort ? value : undefined}>
        {isShort ? shortAddress(value) : value}
      </code>
      <button type="button" class="copyable-button" onClick={() => void copy()}>
        <span class="visually-hidden">{`Copy ${name}`}</span>
        <span aria-hidden="true">{state === 'copied' ? 'Copied' : 'Copy'}</span>
      </button>
      <span class="visually-hidden" role="status">
        {state === 'copied' ? 'Copied' : ''}
        {state === 'failed' ? 'Not copied: select the text instead' : ''}
      </span>
    </span>
  );
};
