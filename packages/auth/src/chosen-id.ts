import { invalidRequest, isMisleading, misleadingDetail } from '@ledger-ops/base';
import { uuidv7 } from '@ledger-ops/store';

/** Fixed segments of API paths. A record with one of these ids would be unreachable. */
const reserved: ReadonlySet<string> = new Set([
  'action',
  'actions',
  'all',
  'api-tokens',
  'app-identity-properties',
  'app-identity-roles',
  'app-roles',
  'apps',
  'authenticate',
  'by-token',
  'checks',
  'config',
  'containing',
  'default',
  'deployments',
  'emulate',
  'emulations',
  'events',
  'explorers',
  'export',
  'featured',
  'has-permission',
  'identities',
  'image',
  'images',
  'in-resources',
  'instances',
  'intents',
  'invitations',
  'keys',
  'ledgers',
  'lookup-terms',
  'me',
  'mine',
  'nodes',
  'organizations',
  'password',
  'permission-evaluation',
  'permission-evaluations',
  'permissions',
  'plugin-actions',
  'profile',
  'projects',
  'properties',
  'resource-identities',
  'resource-identity-roles',
  'resource-types',
  'resources',
  'roles',
  'search',
  'services',
  'specifications',
  'status',
  'system',
  'tags',
  'templates',
  'token',
  'tokens',
  'transactions',
  'types',
  'validate',
  'wallets',
]);

/**
 * Returns the id of a new record: the id that the client chose (`[A-Za-z0-9._-]{1,64}`, but not a reserved
 * path segment, `.` or `..`), or a generated UUIDv7 if the client chose none.
 *
 * @param pointer JSON pointer of the id in the request
 * @throws Problem `invalid-request`
 */
export function chosenId(id: string | undefined, pointer: string): string {
  if (id === undefined) return uuidv7();
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(id)) {
    throw invalidRequest([{ pointer, detail: 'must be 1 to 64 characters from A-Z a-z 0-9 . _ -' }]);
  }
  // Clients and proxies normalize dot segments away.
  if (/^\.{1,2}$/.test(id) || reserved.has(id)) {
    throw invalidRequest([{ pointer, detail: `"${id}" is reserved; choose another id` }]);
  }
  return id;
}

/**
 * @throws Problem `invalid-request` unless the name has 1 to 200 characters, all of them neither control
 * characters nor misleading to readers (`isMisleading`)
 */
export function checkName(name: string, pointer: string): string {
  if (!/^\P{Cc}{1,200}$/u.test(name)) {
    throw invalidRequest([{ pointer, detail: 'must be 1 to 200 characters without control characters' }]);
  }
  if (isMisleading(name)) throw invalidRequest([{ pointer, detail: misleadingDetail }]);
  return name;
}
