import { adapterError, type LedgerNode } from '@ledger-ops/adapter';
import { isLoopback } from './policy.ts';

/** Where a node is, taken apart. */
export interface NodeAddress {
  /** Without user and password. Its path or query may be a credential: it is not to be shown. */
  url: URL;
  /** Authorization header, where the address had a user or a password. */
  headers: Record<string, string>;
}

/** Protocols of URLs without TLS. */
const plain = new Set(['http:', 'ws:']);

/**
 * Reads the address of a node that is reached by HTTP, or by a web socket too.
 * @param allowUnencrypted whether what may be a credential may be sent to a network without TLS
 * @throws AdapterError `invalid-argument` when it is no such address, or would show credentials to a network
 */
export function readNodeAddress(
  { nodeId, uri }: LedgerNode,
  { allowUnencrypted, webSockets = false }: { allowUnencrypted: boolean; webSockets?: boolean },
): NodeAddress {
  const wrongUri = (detail: string) =>
    adapterError('invalid-argument', `The uri of node ${nodeId} ${detail}.`, {
      phase: 'open',
      issues: [{ pointer: `/nodes/${nodeId}/uri`, detail }],
    });
  const protocols = ['http:', 'https:', ...(webSockets ? ['ws:', 'wss:'] : [])];
  const url = URL.parse(uri);
  if (url === null || !protocols.includes(url.protocol)) {
    throw wrongUri(`must be an ${webSockets ? 'http, https, ws or wss' : 'http or https'} address`);
  }
  if (plain.has(url.protocol) && mayHoldCredentials(url) && !isLoopback(url.hostname) && !allowUnencrypted) {
    throw wrongUri(
      `must begin with ${webSockets ? 'https or wss' : 'https'}: a user, path or query can be a credential, and would be sent without TLS; on this machine, or where the ledger's property allow_unencrypted is true, it may be`,
    );
  }
  const headers = credentialsOf(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url, headers };
}

/** Hosted nodes have their keys in any of these. */
function mayHoldCredentials({ username, password, pathname, search }: URL): boolean {
  return username + password + search !== '' || pathname !== '/';
}

/** Basic authentication (RFC 7617). */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}
