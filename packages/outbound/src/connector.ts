import { isIP } from 'node:net';
import type { OutboundPolicy } from '@ledger-ops/adapter';
import { Agent, buildConnector, fetch } from 'undici';
import { guardedLookup, type Resolve } from './lookup.ts';
import { createAddressCheck, OutboundError, withoutBrackets } from './policy.ts';

/** A connector of undici's and when it gives up, in milliseconds. */
export interface ConnectorOptions {
  timeout?: number;
  resolve?: Resolve;
  /** PEM: a client's certificate with its key, and whoever signed the other side's. */
  tls?: { cert?: string; key?: string; ca?: string };
}

/**
 * The `connect` of an undici Pool or Agent that goes only where the policy allows: it checks the literal, every answer
 * of the resolver, and the address that was reached.
 */
export function guardedConnector(
  policy: OutboundPolicy,
  { timeout, resolve, tls }: ConnectorOptions = {},
): buildConnector.connector {
  const allows = createAddressCheck(policy);
  const connect = buildConnector({
    lookup: guardedLookup(allows, resolve),
    ...(timeout === undefined ? {} : { timeout }),
    ...tls,
  });
  return (options, callback) => {
    const host = withoutBrackets(options.hostname);
    if (isIP(host) !== 0 && !allows(host)) {
      callback(new OutboundError(options.hostname), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
      } else if (socket.remoteAddress === undefined || !allows(socket.remoteAddress)) {
        socket.destroy();
        callback(new OutboundError(options.hostname), null);
      } else {
        callback(null, socket);
      }
    });
  };
}

/** `fetch` behind the guard. Follows no redirects. */
export interface GuardedFetch {
  fetch(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Connections are kept between calls, until `close`. */
export function createGuardedFetch(policy: OutboundPolicy, options: ConnectorOptions = {}): GuardedFetch {
  const dispatcher = new Agent({ connect: guardedConnector(policy, options) });
  return {
    // The global fetch refuses a dispatcher of another undici than its own.
    // Both Responses have the members of the standard; their types are of two versions.
    fetch: (url, { method, headers, body, signal }) =>
      fetch(url, {
        dispatcher,
        redirect: 'error',
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers: Object.fromEntries(new Headers(headers)) }),
        ...(typeof body === 'string' ? { body } : {}),
        ...(signal === undefined || signal === null ? {} : { signal }),
      }) as Promise<Response>,
    close: () => dispatcher.destroy(),
  };
}
