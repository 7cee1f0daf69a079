import type { IncomingMessage } from 'node:http';
import { Problem } from '@ledger-ops/base';
import type { Context } from 'hono';

/** Node's own request, which @hono/node-server hands over; absent in tests without sockets. */
export interface NodeBindings {
  incoming?: IncomingMessage | undefined;
}

/** Hono's environment of this application. */
export interface AppEnv {
  Bindings: NodeBindings;
}

/** A context of this application. */
export type AppContext = Context<AppEnv>;

/** The Node request behind a context, when there is one. */
export function incomingOf(context: AppContext): IncomingMessage | undefined {
  // Without a server in front, Hono has no bindings at all.
  const bindings: NodeBindings | undefined = context.env;
  return bindings?.incoming;
}

/**
 * A header's value; of a header that came twice, what Node or the Fetch standard makes of it. Reads Node's own
 * table where it can, which spares a Headers object per request. `name` is in lower case.
 */
export function headerOf(context: AppContext, name: string): string | undefined {
  const incoming = incomingOf(context);
  if (incoming === undefined) return context.req.raw.headers.get(name) ?? undefined;
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Refuses a request with two Host headers: proxies and servers disagree on which of them counts, and Node lets
 * both pass.
 *
 * @throws Problem `invalid-request`
 */
export function refuseTwoHosts(context: AppContext): void {
  const incoming = incomingOf(context);
  const hosts =
    incoming === undefined
      ? (context.req.raw.headers.get('host')?.split(',').length ?? 0)
      : countHosts(incoming.rawHeaders);
  if (hosts > 1) {
    const detail = 'is given more than once; send one';
    throw new Problem('invalid-request', `The Host header ${detail}.`, {
      errors: [{ pointer: 'Host', detail }],
    });
  }
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
