import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { isSignedIn, signIn } from '../session/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Empty, Loading } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { readActionFilter } from './action-filter.ts';
import { readSendSearch } from './send-search.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main className="mx-auto max-w-xl p-6">
      <h1 className="sr-only">Not found</h1>
      <Empty title="There is no such page">
        <Link to="/" className={buttonClass('plain', 'mt-4')}>
          To the overview
        </Link>
      </Empty>
    </main>
  ),
});

const outside = {
  welcome: createRoute({
    getParentRoute: () => root,
    path: '/welcome',
    component: lazyRouteComponent(() => import('../pages/welcome.tsx'), 'Welcome'),
  }),
  callback: createRoute({
    getParentRoute: () => root,
    path: '/callback',
    component: lazyRouteComponent(() => import('../pages/callback.tsx'), 'Callback'),
  }),
  signedOut: createRoute({
    getParentRoute: () => root,
    path: '/signed-out',
    component: lazyRouteComponent(() => import('../pages/signed-out.tsx'), 'SignedOut'),
  }),
};

/** Everything for which somebody has to be signed in. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  async beforeLoad() {
    if (!isSignedIn()) await signIn(location.pathname + location.search);
  },
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
});

const inside = [
  createRoute({
    getParentRoute: () => frame,
    path: '/',
    component: lazyRouteComponent(() => import('../pages/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/invitation',
    component: lazyRouteComponent(() => import('../pages/invitation.tsx'), 'Invitation'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/actions',
    validateSearch: readActionFilter,
    component: lazyRouteComponent(() => import('../pages/actions.tsx'), 'Actions'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/actions/$actionId',
    component: lazyRouteComponent(() => import('../pages/action.tsx'), 'ActionPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/send',
    validateSearch: readSendSearch,
    component: lazyRouteComponent(() => import('../pages/send.tsx'), 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/wallets',
    component: lazyRouteComponent(() => import('../pages/wallets.tsx'), 'Wallets'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/wallets/$walletId',
    component: lazyRouteComponent(() => import('../pages/wallet.tsx'), 'WalletPage'),
  }),
  createRoute({
    getParentRoute: () => frame,
    path: '/contracts',
    component: lazyRouteComponent(() => import('../pages/contracts.tsx'), 'Contracts'),
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
