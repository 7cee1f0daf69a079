import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import { isLoopback } from './loopback.ts';

const maxUris = 20;
const maxLength = 2_000;

/** Returns the fault of a redirect URI that is to be registered; undefined if it is valid. */
function faultOfRedirectUri(uri: string): string | undefined {
  if (uri.length > maxLength) return `must have at most ${maxLength} characters`;
  // Printable ASCII without characters that browsers rewrite, so that the compared URI is the one that
  // browsers open.
  if (!/^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/.test(uri) || !URL.canParse(uri)) {
    return 'must be an absolute URI in ASCII';
  }
  const { protocol, hostname, username, password } = new URL(uri);
  if (!/^https?:\/\//.test(uri) || (protocol === 'http:' && !isLoopback(hostname))) {
    return 'must be https, or http on loopback';
  }
  if (uri.includes('#')) return 'must not have a fragment';
  if (username !== '' || password !== '' || /^[^/?]*\/\/[^/?]*@/.test(uri)) {
    return 'must not have a user name';
  }
  if (hostname.includes('*')) return 'must name exactly one host; wildcards are not supported';
  return undefined;
}

/**
 * Replaces an app's redirect URIs.
 *
 * @throws Problem `invalid-request`, `not-found`
 */
export async function replaceRedirectUris(tx: Tx, appUid: string, uris: readonly string[]): Promise<void> {
  const issues = uris.flatMap((uri, index) => {
    const detail = faultOfRedirectUri(uri);
    return detail === undefined ? [] : [{ pointer: `/redirectUris/${index}`, detail }];
  });
  if (uris.length > maxUris)
    issues.push({ pointer: '/redirectUris', detail: `must have at most ${maxUris} items` });
  if (issues.length > 0) throw invalidRequest(issues);
  await bumpAccess(tx);
  const { app, appRedirectUri } = tx.t;
  const apps = await tx.db.select({ uid: app.uid }).from(app).where(eq(app.uid, appUid));
  if (apps.length === 0) throw new Problem('not-found', 'The application does not exist.');
  await tx.db.delete(appRedirectUri).where(eq(appRedirectUri.appUid, appUid));
  const rows = [...new Set(uris)].map((uri) => ({ appUid, uri }));
  if (rows.length > 0) await tx.db.insert(appRedirectUri).values(rows);
}

/** Returns an app's redirect URIs, sorted. */
export async function redirectUrisOf(queries: Queries, appUid: string): Promise<string[]> {
  const rows = await queries.all<{ uri: string }>(
    'select uri from app_redirect_uri where app_uid = $1 order by uri',
    [appUid],
  );
  return rows.map(({ uri }) => uri);
}

/**
 * Removes the port of a loopback IP address: native apps listen on a free port, so a URI registered without a
 * port matches every port (RFC 8252 §7.3). Names such as `localhost`, invalid ports and all other URIs are
 * returned unchanged.
 */
export function withoutLoopbackPort(uri: string): string {
  const [, host = '', port] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):(\d{1,5})(?=\/)/.exec(uri) ?? [];
  if (port === undefined || Number(port) > 65_535) return uri;
  return host + uri.slice(host.length + 1 + port.length);
}

/** Adds parameters to a redirect URI; the registered part stays unchanged. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) added.set(name, value);
  }
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`;
}
