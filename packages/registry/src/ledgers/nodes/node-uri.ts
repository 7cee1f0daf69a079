import { invalidRequest } from '@ledger-ops/base';

/**
 * Requires an absolute URL as the address of a node. Errors do not repeat it, because it may contain credentials.
 *
 * @throws Problem `invalid-request`
 */
export function checkNodeUri(uri: string, pointer: string): void {
  if (uri.length > 2_048 || /[\p{Cc}\s]/u.test(uri) || !URL.canParse(uri)) {
    throw invalidRequest([{ pointer, detail: 'must be an absolute URL of at most 2048 characters' }]);
  }
  const { username, password } = new URL(uri);
  if (!isDecodable(username + password)) {
    throw invalidRequest([{ pointer, detail: 'must have its user and password percent-encoded as UTF-8' }]);
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the visible part of a node's address: scheme, host and port. Users, passwords, paths and queries
 * are hidden, because they contain API keys of hosted nodes; if there were any, the result ends in `/…`.
 */
export function visibleUri(uri: string): string {
  if (!URL.canParse(uri)) return '…';
  const { protocol, host, pathname, search, username, password, hash } = new URL(uri);
  const more =
    (pathname !== '/' && pathname !== '') || [search, username, password, hash].some((part) => part !== '');
  return `${protocol}//${host}${more ? '/…' : ''}`;
}

/** Whether {@link visibleUri} returned the complete address. */
export function isWhole(visible: string): boolean {
  return !visible.endsWith('…');
}
