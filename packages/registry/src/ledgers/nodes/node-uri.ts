import { invalidRequest } from '@ledger-ops/base';

/**
 * Checks the address of a node: an absolute URL. The text is not repeated: it may hold credentials.
 *
 * @throws Problem `invalid-request`
 */
export function checkNodeUri(uri: string, pointer: string): void {
  if (uri.length > 2_048 || /[\p{Cc}\s]/u.test(uri) || !URL.canParse(uri)) {
    throw invalidRequest([{ pointer, detail: 'must be an absolute URL of at most 2048 characters' }]);
  }
}

/**
 * The part of a node's address that may be seen: scheme, host and port. Users, passwords, paths and queries hold the keys of
 * hosted nodes; where there were any, the answer ends in `/…`.
 */
export function visibleUri(uri: string): string {
  if (!URL.canParse(uri)) return '…';
  const { protocol, host, pathname, search, username, password, hash } = new URL(uri);
  const more =
    (pathname !== '/' && pathname !== '') || [search, username, password, hash].some((part) => part !== '');
  return `${protocol}//${host}${more ? '/…' : ''}`;
}

/** Whether {@link visibleUri} left nothing out. */
export function isWhole(visible: string): boolean {
  return !visible.endsWith('…');
}
