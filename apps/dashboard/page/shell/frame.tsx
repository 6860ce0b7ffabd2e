import { useLocation } from 'preact-iso';
import type { ComponentChildren, RefObject } from 'preact';
import { Brand } from './brand.tsx';
import { VIEWS } from './view-list.ts';
import './frame.css';

/** The header, the navigation and a place for the view. */
export const Frame = ({
  status,
  viewRef,
  children,
}: {
  /** Who is signed in, at the end of the header. */
  readonly status?: ComponentChildren;
  readonly viewRef?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}) => {
  const { path } = useLocation();
  return (
    <div class="frame">
      <a class="frame-skip" href="#view">
        Skip to content
      </a>
      <header class="frame-header">
        <a class="frame-brand" href="/" aria-label="Agent Spending Wallet">
          <Brand />
        </a>
        {status}
      </header>
      <nav class="frame-nav" aria-label="Views">
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
      <main id="view" class="frame-view" tabindex={-1} {...(viewRef && { ref: viewRef })}>
        {children}
      </main>
    </div>
  );
};

const isWithin = (path: string, view: string): boolean =>
  path === view || (view !== '/' && path.startsWith(`${view}/`));
