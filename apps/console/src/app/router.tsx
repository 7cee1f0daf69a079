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
    <Outside title="Page not found">
      <p className="mb-6 text-ink-2">The URL may be mistyped or belong to another version of the console.</p>
      <Link to="/" className={buttonClass('primary', 'w-full')}>
        Go to the overview
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

/** Parent of all routes that require a sign-in. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  async beforeLoad() {
    if (!isSignedIn() && !isResuming()) await signIn(location.pathname + location.search);
  },
  component: lazyRouteComponent(loadFrame, 'Frame'),
});

/** A page that requires a sign-in, and whose address has no search parameters. */
const page = <const Path extends keyof typeof pages>(
  path: Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => frame, path, component });

const inside = [
  page('/', lazyRouteComponent(pages['/'], 'Overview')),
  page('/invitation', lazyRouteComponent(pages['/invitation'], 'Invitation')),
  createRoute({
    getParentRoute: () => frame,
    path: '/actions',
    validateSearch: readActionFilter,
    component: lazyRouteComponent(pages['/actions'], 'Actions'),
  }),
  page('/actions/$actionId', lazyRouteComponent(pages['/actions/$actionId'], 'ActionPage')),
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
  page('/wallets/$walletId', lazyRouteComponent(pages['/wallets/$walletId'], 'WalletPage')),
  page('/contracts', lazyRouteComponent(pages['/contracts'], 'Contracts')),
  page('/templates', lazyRouteComponent(pages['/templates'], 'Templates')),
  page('/templates/$templateId', lazyRouteComponent(pages['/templates/$templateId'], 'TemplatePage')),
  page('/ledgers', lazyRouteComponent(pages['/ledgers'], 'Ledgers')),
  page('/ledgers/$ledgerId', lazyRouteComponent(pages['/ledgers/$ledgerId'], 'LedgerPage')),
  createRoute({
    getParentRoute: () => frame,
    path: '/plugins',
    validateSearch: readPageSearch,
    component: lazyRouteComponent(pages['/plugins'], 'Plugins'),
  }),
  page('/plugins/$pluginId', lazyRouteComponent(pages['/plugins/$pluginId'], 'PluginPage')),
  page('/webhooks', lazyRouteComponent(pages['/webhooks'], 'Webhooks')),
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
  page(
    '/access/accounts/$accountId',
    lazyRouteComponent(pages['/access/accounts/$accountId'], 'AccountPage'),
  ),
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
          Start again
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
