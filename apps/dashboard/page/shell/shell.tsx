import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { Button } from '../design/controls/button.tsx';
import { shortAddress } from '../design/controls/copyable.tsx';
import { Notice } from '../design/feedback/notice.tsx';
import { useSettings } from '../owner/deployment.tsx';
import { useOwner } from '../owner/owner-context.tsx';
import { useVault } from '../owner/vault-context.tsx';
import { VIEWS } from './view-list.ts';
import { Brand } from './brand.tsx';
import './shell.css';

/** Navigation, who is signed in, and the view. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const { path } = useLocation();
  const { cluster } = useSettings();
  const { address, signOut } = useOwner();
  const { isStale } = useVault();
  return (
    <div class="shell">
      <a class="shell-skip" href="#view">
        Skip to the view
      </a>
      <header class="shell-header">
        <a class="shell-brand" href="/" aria-label="Agent Spending Wallet">
          <Brand />
        </a>
        {cluster === 'mainnet' ? null : <span class="shell-cluster">{cluster}</span>}
        <span class="shell-owner mono" title={address}>
          {shortAddress(address)}
        </span>
        <Button kind="quiet" onClick={() => void signOut()}>
          Sign out
        </Button>
      </header>
      <nav class="shell-nav" aria-label="Views">
        {VIEWS.map((view) =>
          view.label === undefined ? null : (
            <a
              key={view.path}
              href={view.path}
              aria-current={isWithin(path, view.path) ? 'page' : undefined}
            >
              {view.label}
            </a>
          ),
        )}
      </nav>
      <main id="view" class="shell-view" tabindex={-1}>
        {isStale ? (
          <Notice kind="warning" title="The service does not respond.">
            What you see is not up to date. It is asked again every few seconds.
          </Notice>
        ) : null}
        {children}
      </main>
    </div>
  );
};

const isWithin = (path: string, view: string): boolean =>
  path === view || (view !== '/' && path.startsWith(`${view}/`));
