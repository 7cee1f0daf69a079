import type { IncomingMessage } from 'node:http';
import { Problem } from '@ledger-ops/base';
import type { Context } from 'hono';

/** Node's request object, from @hono/node-server; absent in tests without sockets. */
export interface NodeBindings {
  incoming?: IncomingMessage | undefined;
}

export interface AppEnv {
  Bindings: NodeBindings;
}

export type AppContext = Context<AppEnv>;

/** Returns the Node request of a context, if there is one. */
export function incomingOf(context: AppContext): IncomingMessage | undefined {
  // Without a server, Hono has no bindings.
  const bindings: NodeBindings | undefined = context.env;
  return bindings?.incoming;
}

/**
 * Returns a header's value; duplicates are handled as in Node or the Fetch standard. Reads Node's header table if
 * possible, which avoids a Headers object per request. `name` is in lower case.
 */
export function headerOf(context: AppContext, name: string): string | undefined {
  const incoming = incomingOf(context);
  if (incoming === undefined) return context.req.raw.headers.get(name) ?? undefined;
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Headers whose duplicates Node silently drops: lower-case name to display name. */
const single = new Map(['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]));
const singleLengths = new Set([...single.keys()].map(({ length }) => length));

/**
 * Rejects a request with a duplicate header that identifies the caller, the host or the content: proxies and servers
 * disagree about which one applies.
 *
 * @throws Problem `invalid-request`
 */
export function refuseDoubles(context: AppContext): void {
  const incoming = incomingOf(context);
  const name = incoming === undefined ? doubleHost(context.req.raw.headers) : doubleOf(incoming.rawHeaders);
  if (name === undefined) return;
  const detail = 'is present more than once; send it once';
  throw new Problem('invalid-request', `The ${name} header ${detail}.`, {
    errors: [{ pointer: name, detail }],
  });
}

/** Finds a duplicate Host in parsed headers: the Fetch standard joins the values with a comma. */
function doubleHost(headers: Headers): string | undefined {
  return (headers.get('host') ?? '').includes(',') ? 'Host' : undefined;
}

function doubleOf(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    // The length is compared first, because it rules out most headers.
    const name = singleLengths.has(given.length) ? single.get(given.toLowerCase()) : undefined;
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
