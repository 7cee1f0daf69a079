import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Callback } from '../pages/callback.tsx';
import { isResuming, isSignedIn, signIn } from '../session/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Loading } from '../ui/layout.tsx';
import { Outside } from '../ui/outside.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { readAccessSearch } from './access-search.ts';
import { readActionFilter } from './action-filter.ts';
import { readDeliveryFilter } from './delivery-filter.ts';
import { readPageSearch } from './page-search.ts';
import { loadFrame, pages } from './pages.ts';
import { readSendSearch } from './send-search.ts';
import { readTimelineFilter } from './timeline-filter.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <Outside title="There is no such page">
      <p className="mb-6 text-ink-2">The address may be mistyped, or of another version of the console.</p>
      <Link to="/" className={buttonClass('primary', 'w-full')}>
        To the overview
      </Link>
    </Outside>
  ),
});

const outside = {
  welcome: createRoute({
    getParentRoute: () => root,
    path: '/welcome',
    component: lazyRouteComponent(pages['/welcome'], 'Welcome'),
  }),
  callback: createRoute({
    getParentRoute: () => root,
    path: '/callback',
    component: Callback,
  }),
  signedOut: createRoute({
    getParentRoute: () => root,
    path: '/signed-out',
    component: lazyRouteComponent(pages['/signed-out'], 'SignedOut'),
  }),
};

/** Everything for which somebody has to be signed in. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  async beforeLoad() {
    if (!isSignedIn() && !isResuming()) await signIn(location.pathname + location.search);
  },
  component: lazyRouteComponent(loadFrame, 'Frame'),
});

const inside = [
  createRoute({
    getParentRoute: () => frame,
    path: '/',
    component: lazyRouteComponent(pages['/'], 'Overview'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/invitation',
    component: lazyRouteComponent(pages['/invitation'], 'Invitation'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/actions',
    validateSearch: readActionFilter,
    component: lazyRouteComponent(pages['/actions'], 'Actions'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/actions/$actionId',
    component: lazyRouteComponent(pages['/actions/$actionId'], 'ActionPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/send',
    validateSearch: readSendSearch,
    component: lazyRouteComponent(pages['/send'], 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/wallets',
    validateSearch: readPageSearch,
    component: lazyRouteComponent(pages['/wallets'], 'Wallets'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/wallets/$walletId',
    component: lazyRouteComponent(pages['/wallets/$walletId'], 'WalletPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/contracts',
    component: lazyRouteComponent(pages['/contracts'], 'Contracts'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/templates',
    component: lazyRouteComponent(pages['/templates'], 'Templates'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/templates/$templateId',
    component: lazyRouteComponent(pages['/templates/$templateId'], 'TemplatePage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/ledgers',
    component: lazyRouteComponent(pages['/ledgers'], 'Ledgers'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/ledgers/$ledgerId',
    component: lazyRouteComponent(pages['/ledgers/$ledgerId'], 'LedgerPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/plugins',
    validateSearch: readPageSearch,
    component: lazyRouteComponent(pages['/plugins'], 'Plugins'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/plugins/$pluginId',
    component: lazyRouteComponent(pages['/plugins/$pluginId'], 'PluginPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/webhooks',
    component: lazyRouteComponent(pages['/webhooks'], 'Webhooks'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/webhooks/$webhookId',
    validateSearch: readDeliveryFilter,
    component: lazyRouteComponent(pages['/webhooks/$webhookId'], 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/access',
    validateSearch: readAccessSearch,
    component: lazyRouteComponent(pages['/access'], 'Access'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/access/accounts/$accountId',
    component: lazyRouteComponent(pages['/access/accounts/$accountId'], 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/timeline',
    validateSearch: readTimelineFilter,
    component: lazyRouteComponent(pages['/timeline'], 'Timeline'),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([...Object.values(outside), frame.addChildren([...inside])]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error }) => (
    <main className="mx-auto max-w-xl p-6">
      <ProblemNote error={error}>
        <a href="/console/" className="mt-2 inline-block underline">
          Begin again
        </a>
      </ProblemNote>
    </main>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
