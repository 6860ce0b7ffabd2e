import { Route, Router } from 'preact-iso';
import { EmptyState } from '../design/content/empty-state.tsx';
import { VIEWS } from './view-list.ts';

/** The view of the current route. */
export const Views = () => (
  <Router>
    {VIEWS.map(({ path, component }) => (
      <Route key={path} path={path} component={component} />
    ))}
    <Route default component={NoView} />
  </Router>
);

const NoView = () => (
  <EmptyState title="There is no such view." action={<a href="/">Go to the overview</a>}>
    The address of this page leads nowhere.
  </EmptyState>
);
