import { shortAddress } from '../../design/controls/copyable.tsx';
import './target.css';

/** What was done and for whom: the name of the action above, the recipient or URL below. */
export const Target = ({
  action,
  recipientOrUrl,
  session,
}: {
  readonly action: string;
  readonly recipientOrUrl: string | null;
  /** The name of the session; null for what the owner did. */
  readonly session: string | null;
}) => (
  <div class="target">
    <strong>{action}</strong>
    {recipientOrUrl === null ? null : (
      <span class="target-to mono" title={recipientOrUrl}>
        {recipientOrUrl.includes('/')
          ? withoutScheme(recipientOrUrl)
          : shortAddress(recipientOrUrl)}
      </span>
    )}
    <span class="target-by">{session === null ? 'You' : session}</span>
  </div>
);

const withoutScheme = (url: string): string => url.replace(/^https:\/\//, '');
