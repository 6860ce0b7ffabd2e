import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Notice } from '../design/feedback/notice.tsx';
import { type PageSettings, pageSettings } from '../page-settings.ts';
import { ROUTES } from '../routes.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { LoadingPage } from '../shell/loading-page.tsx';
import { differencesFromApi } from './trusted-deployment.ts';

const Context = createContext<PageSettings | null>(null);

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly settings: PageSettings }
  | { readonly kind: 'failed'; readonly reason: string };

/** Loads the settings of the page, which its own server returns. */
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
      <Refusal
        title="The page could not load its settings."
        reasons={['Reload the page.', state.reason]}
      />
    );
  }
  return <Context.Provider value={state.settings}>{children}</Context.Provider>;
};

async function load(show: (state: State) => void, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch('/config.json', { signal });
    show({ kind: 'ready', settings: pageSettings.parse(await response.json()) });
  } catch (error) {
    if (!signal.aborted) show({ kind: 'failed', reason: String(error) });
  }
}

/**
 * Compares the settings of the page with the API's: where they differ, nothing that the API builds
 * may be signed. The way out does not ask the API and stands outside of this.
 */
export const SameDeployment = ({ children }: { readonly children: ComponentChildren }) => {
  const settings = useSettings();
  const [differences, setDifferences] = useState<readonly string[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const compare = async (): Promise<void> => {
      const found = await differencesFromApi(settings, signal);
      if (!signal.aborted) setDifferences(found);
    };
    void compare();
    return () => controller.abort();
  }, [settings]);
  if (differences.length === 0) return children;
  return (
    <Refusal
      title="This page and its service belong to different deployments. Sign nothing here."
      reasons={[...differences, 'Tell the operator.']}
    >
      <a href={ROUTES.exit}>Pause and withdraw without the service</a>
    </Refusal>
  );
};

const Refusal = ({
  title,
  reasons,
  children,
}: {
  readonly title: string;
  readonly reasons: readonly string[];
  readonly children?: ComponentChildren;
}) => (
  <Fullscreen>
    <Notice kind="danger" title={title}>
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {children}
    </Notice>
  </Fullscreen>
);

/** The deployment that this page trusts. */
export function useSettings(): PageSettings {
  const settings = useContext(Context);
  if (settings === null) throw new Error('useSettings outside of Deployment');
  return settings;
}
