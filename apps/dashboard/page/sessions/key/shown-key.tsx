import { useState } from 'preact/hooks';
import { Copyable } from '../../design/controls/copyable.tsx';
import { Notice } from '../../design/feedback/notice.tsx';
import { type SnippetSession, snippetsFor } from './snippets.ts';
import './shown-key.css';

/** An agent's key, this once, with what to do with it. */
export const ShownKey = ({ session }: { readonly session: SnippetSession }) => {
  const snippets = snippetsFor(session);
  const [name, setName] = useState(snippets[0]?.name);
  const chosen = snippets.find((snippet) => snippet.name === name);
  return (
    <div class="shown-key">
      <Notice kind="warning" title="Copy the key now.">
        It is shown this once. Whoever has it can spend within the limits of the session.
      </Notice>
      <div class="shown-key-value">
        <Copyable value={session.apiKey} name="the API key" />
      </div>
      <div class="shown-key-choice" role="group" aria-label="Example">
        {snippets.map((snippet) => (
          <button
            key={snippet.name}
            type="button"
            aria-pressed={snippet.name === name}
            onClick={() => setName(snippet.name)}
          >
            {snippet.name}
          </button>
        ))}
      </div>
      {chosen === undefined ? null : (
        <figure class="shown-key-snippet">
          <figcaption>
            <span class="soft">{chosen.hint}</span>
            <CopyCode code={chosen.code} />
          </figcaption>
          <pre tabindex={0} aria-label={`Example for ${chosen.name}`}>
            <code>{chosen.code}</code>
          </pre>
        </figure>
      )}
    </div>
  );
};

const CopyCode = ({ code }: { readonly code: string }) => {
  const [copied, setCopied] = useState<string | null>(null);
  return (
    <>
      <button
        type="button"
        class="copyable-button"
        onClick={() => void navigator.clipboard.writeText(code).then(() => setCopied(code))}
      >
        <span class="visually-hidden">Copy the example</span>
        <span aria-hidden="true">{copied === code ? 'Copied' : 'Copy'}</span>
      </button>
      <span class="visually-hidden" role="status">
        {copied === code ? 'Copied' : ''}
      </span>
    </>
  );
};
