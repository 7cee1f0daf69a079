import type { LedgerNode } from '../contract/definition.ts';
import { adapterError } from '../error.ts';
import { isLoopback } from './policy.ts';

/** The parts of a node's address. */
export interface NodeAddress {
  /** Without user and password. Must not be shown, because its path or query may be a credential. */
  url: URL;
  /** Authorization header, if the address had a user or password. */
  headers: Record<string, string>;
}

/** URL schemes without TLS. */
const plain = new Set(['http:', 'ws:']);

/**
 * Parses a node's address, by HTTP or web socket.
 * @param allowUnencrypted whether possible credentials may be sent without TLS
 * @throws AdapterError `invalid-argument` if the address is invalid, or would send credentials unencrypted
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
    throw wrongUri(`must start with ${webSockets ? 'http, https, ws or wss' : 'http or https'}`);
  }
  if (plain.has(url.protocol) && mayHoldCredentials(url) && !isLoopback(url.hostname) && !allowUnencrypted) {
    throw wrongUri(
      `must start with ${webSockets ? 'https or wss' : 'https'}, because its user, path or query can be a credential that would be sent without TLS. Only nodes on this machine, and ledgers with allow_unencrypted true, are exempt`,
    );
  }
  const headers = credentialsOf(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url, headers };
}

/** Whether the address may contain a credential: hosted nodes put API keys into any of these parts. */
function mayHoldCredentials({ username, password, pathname, search }: URL): boolean {
  return username + password + search !== '' || pathname !== '/';
}

/** Basic authentication (RFC 7617). */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}
