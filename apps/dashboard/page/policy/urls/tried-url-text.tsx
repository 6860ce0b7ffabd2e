import { amountText } from '../../design/content/amount-text.ts';
import { StatusBadge } from '../../design/content/status-badge.tsx';
import type { TriedUrl } from './try-url.ts';

/** The verdict about the example URL, announced as it changes. */
export const TriedUrlText = ({ tried }: { readonly tried: TriedUrl }) => (
  <p class="url-verdict" role="status">
    <Verdict tried={tried} />
  </p>
);

const Verdict = ({ tried }: { readonly tried: TriedUrl }) => {
  switch (tried.kind) {
    case 'empty':
      return null;
    case 'matched':
      return (
        <>
          <StatusBadge kind="positive">Allowed</StatusBadge> for up to{' '}
          {amountText(tried.maxPerCall)} USDC a call, by{' '}
          {tried.ids.size === 1 ? 'the marked row' : 'the marked rows'}
        </>
      );
    case 'unmatched':
      return (
        <>
          <StatusBadge kind="danger">Refused</StatusBadge> because no row covers it
        </>
      );
    case 'refused':
      return (
        <>
          <StatusBadge kind="danger">Refused</StatusBadge> because the URL {tried.reason}
        </>
      );
  }
};
