import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../design/controls/button.tsx';
import { shortAddress } from '../design/controls/copyable.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { useSettings } from '../owner/deployment.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { ROUTES } from '../routes.ts';
import { Frame } from './frame.tsx';

const PRODUCT = 'Agent Spending Wallet';

/** Navigation, who is signed in, and the view. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const { cluster } = useSettings();
  const { address, signOut } = useOwner();
  const { isStale } = useVault();
  const view = useViewAnnounced();
  return (
    <Frame
      viewRef={view}
      status={
        <>
          {cluster === 'mainnet' ? null : <span class="frame-cluster">{cluster}</span>}
          <span class="frame-owner mono" title={address}>
            {shortAddress(address)}
          </span>
          <Button kind="quiet" onClick={() => void signOut()}>
            Sign out
          </Button>
        </>
      }
    >
      {isStale ? (
        <Notice kind="warning" title="The service does not respond.">
          What you see may be out of date. The page tries again every few seconds. You can{' '}
          <a href={ROUTES.exit}>pause and withdraw without the service</a>.
        </Notice>
      ) : null}
      {children}
    </Frame>
  );
};

/** Names the window after the view, and moves the focus to a view that was navigated to. */
function useViewAnnounced() {
  const { path } = useLocation();
  const view = useRef<HTMLElement>(null);
  const last = useRef(path);
  useEffect(() => {
    const heading = view.current?.querySelector('h1')?.textContent;
    document.title =
      heading === undefined || heading === null ? PRODUCT : `${heading} · ${PRODUCT}`;
    if (last.current !== path) view.current?.focus({ preventScroll: true });
    last.current = path;
  }, [path]);
  return view;
}
