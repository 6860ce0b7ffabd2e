import { useSettings } from '../owner/deployment.tsx';

/** A link to a transaction or an address in the explorer of the deployment, or nothing without one. */
export const ExplorerLink = ({
  kind,
  id,
  children,
}: {
  readonly kind: 'tx' | 'address';
  readonly id: string;
  readonly children: string;
}) => {
  const { explorerUrl } = useSettings();
  if (explorerUrl === null) return null;
  return (
    <a
      href={explorerUrl.replace('{kind}', kind).replace('{id}', id)}
      target="_blank"
      rel="noreferrer"
    >
      {children}
      <span class="visually-hidden"> (opens a new tab)</span>
    </a>
  );
};
