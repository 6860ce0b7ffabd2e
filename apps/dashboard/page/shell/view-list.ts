import type { ComponentType } from 'preact';
import { Activity } from '../activity/activity.tsx';
import { Fund } from '../fund/fund.tsx';
import { Overview } from '../overview/overview.tsx';
import { Policy } from '../policy/policy.tsx';
import { ROUTES } from '../routes.ts';
import { NewSession } from '../sessions/create/new-session.tsx';
import { SessionDetail } from '../sessions/detail/session-detail.tsx';
import { Sessions } from '../sessions/list/sessions.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';
import { Withdraw } from '../withdraw/withdraw.tsx';
import { Yield } from '../yield/yield.tsx';

/** A view of the page. `label` puts it into the navigation. */
type View = { readonly path: string; readonly label?: string; readonly component: ComponentType };

/** The views, in the order of the navigation. A view is added here and in `routes.ts`. */
export const VIEWS: readonly View[] = [
  { path: ROUTES.overview, label: 'Overview', component: Overview },
  { path: ROUTES.sessions, label: 'Sessions', component: Sessions },
  { path: ROUTES.activity, label: 'Activity', component: Activity },
  { path: ROUTES.policy, label: 'Policy', component: Policy },
  { path: ROUTES.yield, label: 'Yield', component: Yield },
  { path: ROUTES.webhooks, label: 'Webhooks', component: Webhooks },
  { path: ROUTES.fund, component: Fund },
  { path: ROUTES.withdraw, component: Withdraw },
  { path: ROUTES.newSession, component: NewSession },
  { path: ROUTES.session, component: SessionDetail },
];
