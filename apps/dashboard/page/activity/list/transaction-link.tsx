import { Copyable } from '../../design/controls/copyable.tsx';
import { useSettings } from '../../owner/deployment.tsx';
import { ExplorerLink } from '../../transactions/explorer-link.tsx';

/** The transaction of a row, in the explorer; its signature to copy where there is no explorer. */
export const TransactionLink = ({
  signature,
  hasFailed = false,
}: {
  readonly signature: string | null;
  readonly hasFailed?: boolean;
}) => {
  const { explorerUrl } = useSettings();
  if (signature === null) return null;
  if (explorerUrl === null) return <Copyable value={signature} name="signature" isShort />;
  return (
    <ExplorerLink kind="tx" id={signature}>
      {hasFailed ? 'View failed' : 'View'}
    </ExplorerLink>
  );
};
