import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Notice } from '../design/feedback/notice.tsx';
import { type PageSettings, pageSettings } from '../page-settings.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { LoadingPage } from '../shell/loading-page.tsx';
import { differencesFromApi } from './trusted-deployment.ts';

const Context = createContext<PageSettings | null>(null);

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly settings: PageSettings }
  | { readonly kind: 'failed'; readonly title: string; readonly reasons: readonly string[] };

/**
 * Loads the settings of the page, which its own server returns, and compares them with the API's: a
 * page that trusts another deployment than its API works for is of no use.
 */
export const Deployment = ({ children }: { readonly children: ComponentChildren }) => {
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    const controller = new AbortController();
    void load(setState, controller.signal);
    return () => controller.abort();
  }, []);
  if (state.kind === 'loading') return <LoadingPage />;
  if (state.kind === 'failed') {
    return (
      <Fullscreen>
        <Notice kind="danger" title={state.title}>
          {state.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Notice>
      </Fullscreen>
    );
  }
  return <Context.Provider value={state.settings}>{children}</Context.Provider>;
};

async function load(show: (state: State) => void, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch('/config.json', { signal });
    const settings = pageSettings.parse(await response.json());
    show({ kind: 'ready', settings });
    const differences = await differencesFromApi(settings, signal);
    if (signal.aborted || differences.length === 0) return;
    const title = 'This page and its service belong to different deployments. Sign nothing here.';
    show({ kind: 'failed', title, reasons: [...differences, 'Tell the operator.'] });
  } catch (error) {
    if (signal.aborted) return;
    const title = 'The page could not load its settings.';
    show({ kind: 'failed', title, reasons: ['Reload the page.', String(error)] });
  }
}

/** The deployment that this page trusts. */
export function useSettings(): PageSettings {
  const settings = useContext(Context);
  if (settings === null) throw new Error('useSettings outside of Deployment');
  return settings;
}
