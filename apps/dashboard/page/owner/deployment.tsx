import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type PageSettings, pageSettings } from '../page-settings.ts';
import { Fullscreen } from '../shell/fullscreen.tsx';
import { Notice } from '../design/feedback/notice.tsx';

const Context = createContext<PageSettings | null>(null);

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly settings: PageSettings }
  | { readonly kind: 'failed'; readonly reason: string };

/** Loads the settings of the page, which its own server returns. */
export const Deployment = ({ children }: { readonly children: ComponentChildren }) => {
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    loadSettings()
      .then((settings) => setState({ kind: 'ready', settings }))
      .catch((error: unknown) => setState({ kind: 'failed', reason: String(error) }));
  }, []);
  if (state.kind === 'loading') return null;
  if (state.kind === 'failed') {
    return (
      <Fullscreen>
        <Notice kind="danger" title="The page could not load its settings.">
          Reload it. {state.reason}
        </Notice>
      </Fullscreen>
    );
  }
  return <Context.Provider value={state.settings}>{children}</Context.Provider>;
};

async function loadSettings(): Promise<PageSettings> {
  const response = await fetch('/config.json');
  return pageSettings.parse(await response.json());
}

/** The deployment that this page trusts. */
export function useSettings(): PageSettings {
  const settings = useContext(Context);
  if (settings === null) throw new Error('useSettings outside of Deployment');
  return settings;
}
