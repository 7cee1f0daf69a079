import { invalidRequest } from '@ledger-ops/base';
import { uuidv7 } from '@ledger-ops/store';

/** Static segments of the interface's paths: a record of that id could not be reached. */
const reserved: ReadonlySet<string> = new Set([
  ...['action', 'actions', 'all', 'api-tokens', 'app-identity-properties', 'app-identity-roles', 'app-roles'],
  ...['apps', 'authenticate', 'by-token', 'checks', 'config', 'containing', 'default', 'deployments'],
  ...['emulate', 'emulations', 'events', 'explorers', 'export', 'featured', 'has-permission', 'identities'],
  ...['image', 'images', 'in-resources', 'instances', 'intents', 'invitations', 'keys', 'ledgers'],
  ...['lookup-terms', 'me', 'mine', 'nodes', 'organizations', 'password', 'permission-evaluation'],
  ...['permission-evaluations', 'permissions', 'plugin-actions', 'profile', 'projects', 'properties'],
  ...['resource-identities', 'resource-identity-roles', 'resource-types', 'resources', 'roles', 'search'],
  ...['services', 'specifications', 'status', 'system', 'tags', 'templates', 'token', 'tokens'],
  ...['transactions', 'types', 'validate', 'wallets'],
]);

/**
 * The id of a new record: the one that the client chose (`[A-Za-z0-9._-]{1,64}`, no word that is a path
 * segment, not `.` or `..`), or a generated UUIDv7 when there is none.
 *
 * @param pointer where the id stands in the request
 * @throws Problem `invalid-request`
 */
export function chosenId(id: string | undefined, pointer: string): string {
  if (id === undefined) return uuidv7();
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(id)) {
    throw invalidRequest([{ pointer, detail: 'must be 1 to 64 characters out of A-Z a-z 0-9 . _ -' }]);
  }
  // Clients and proxies resolve dot segments away.
  if (/^\.{1,2}$/.test(id) || reserved.has(id)) {
    throw invalidRequest([{ pointer, detail: `the word "${id}" is reserved; choose another id` }]);
  }
  return id;
}

/** @throws Problem `invalid-request` unless the name has 1 to 200 characters, none of them a control character. */
export function checkName(name: string, pointer: string): string {
  if (!/^\P{Cc}{1,200}$/u.test(name)) {
    throw invalidRequest([{ pointer, detail: 'must be 1 to 200 characters without control characters' }]);
  }
  return name;
}
