import { Problem } from '@ledger-ops/base';
import type { Route } from './route.ts';

/** Path prefixes of requests that sign in or search, although they are not GET. */
const permitted = /^\/v1\/(?:auth|identities\/authenticate|ledger-ops\/search)(?:\/|$)/;

const detail =
  'The database of this service was copied, moved, or restored to an earlier state, so the service is read-only until its deployer runs `ledger-ops adopt`. The request was not accepted. The log and `ledger-ops doctor` show the reason.';

/** Whether a request could change or send something. */
export function changesSomething({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method !== 'get' && !permitted.test(path);
}

/** @throws Problem `database-not-adopted` */
export function refuseChanges(route: Route): void {
  if (changesSomething(route)) throw new Problem('database-not-adopted', detail, { retryAfter: 60 });
}
