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

/** Of which Node reads the first, and drops the others in silence; as they are shown, by their names in lower case. */
const single = new Map(['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]));
const singleLengths = new Set([...single.keys()].map(({ length }) => length));

/**
 * Refuses a request in which a header that says who asks, for whom or what comes twice: proxies and servers disagree on
 * which of them counts.
 *
 * @throws Problem `invalid-request`
 */
export function refuseDoubles(context: AppContext): void {
  const incoming = incomingOf(context);
  const name = incoming === undefined ? doubleHost(context.req.raw.headers) : doubleOf(incoming.rawHeaders);
  if (name === undefined) return;
  const detail = 'is given more than once; send one';
  throw new Problem('invalid-request', `The ${name} header ${detail}.`, {
    errors: [{ pointer: name, detail }],
  });
}

/** The Fetch standard joins what came twice. */
function doubleHost(headers: Headers): string | undefined {
  return (headers.get('host') ?? '').includes(',') ? 'Host' : undefined;
}

function doubleOf(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    // Most have another length, which is looked at first.
    const name = singleLengths.has(given.length) ? single.get(given.toLowerCase()) : undefined;
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
