import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import { isLoopback } from './loopback.ts';

const maxUris = 20;
const maxLength = 2_000;

/** Finds the fault of a redirect URI that an app wants to register; undefined: none. */
function faultOfRedirectUri(uri: string): string | undefined {
  if (uri.length > maxLength) return `must have at most ${maxLength} characters`;
  // Printable ASCII without what browsers rewrite: then what is compared is what is followed.
  if (!/^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/.test(uri) || !URL.canParse(uri)) {
    return 'must be an absolute URI in ASCII';
  }
  const { protocol, hostname, username, password } = new URL(uri);
  if (!/^https?:\/\//.test(uri) || (protocol === 'http:' && !isLoopback(hostname))) {
    return 'must be https, or http on loopback';
  }
  if (uri.includes('#')) return 'must have no fragment';
  if (username !== '' || password !== '' || /^[^/?]*\/\/[^/?]*@/.test(uri)) {
    return 'must have no user name';
  }
  if (hostname.includes('*')) return 'must name one host: it is matched exactly';
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
  if (uris.length > maxUris) issues.push({ pointer: '/redirectUris', detail: `at most ${maxUris}` });
  if (issues.length > 0) throw invalidRequest(issues);
  await bumpAccess(tx);
  const { app, appRedirectUri } = tx.t;
  const apps = await tx.db.select({ uid: app.uid }).from(app).where(eq(app.uid, appUid));
  if (apps.length === 0) throw new Problem('not-found', 'There is no such application.');
  await tx.db.delete(appRedirectUri).where(eq(appRedirectUri.appUid, appUid));
  const rows = [...new Set(uris)].map((uri) => ({ appUid, uri }));
  if (rows.length > 0) await tx.db.insert(appRedirectUri).values(rows);
}

/** An app's redirect URIs, sorted. */
export async function redirectUrisOf(queries: Queries, appUid: string): Promise<string[]> {
  const rows = await queries.all<{ uri: string }>(
    'select uri from app_redirect_uri where app_uid = $1 order by uri',
    [appUid],
  );
  return rows.map(({ uri }) => uri);
}

/**
 * The URI that stands for every port of a loopback address: programs on a person's machine listen on one that is free
 * (RFC 8252 §7.3). Of names such as `localhost`, and of all others, the URI itself.
 */
export function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=\/)/, '$1');
}

/** A redirect URI with parameters added; what the app registered stays as it is. */
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
