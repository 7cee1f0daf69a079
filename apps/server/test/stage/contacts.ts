// Records what each operation contacts: ledgers, plugins, and receivers of webhooks.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contact, Route } from '../../src/http/route.ts';
import type { Installation } from './api.ts';
import { findRoute } from './find-route.ts';

/** Contacts of a server's operations, by operationId. */
export interface RecordedContacts {
  /** Destinations that each operation contacted before its response ended. */
  readonly byOperation: ReadonlyMap<string, ReadonlySet<Contact>>;
  stop(): void;
}

interface Handled {
  readonly operationId: string;
  isOver: boolean;
}

/**
 * Records the contacts of a server in this process. The server's HTTP requests are contacts of ledgers, except those to
 * the given receivers. Opening a ledger is recorded as a contact with the ledger, and choosing a plugin as a contact with the plugin.
 * The call may need no request this time, but sends one if the ledger is not open or the plugin is remote.
 */
export function recordContacts(
  { server, url }: Pick<Installation, 'server' | 'url'>,
  routes: readonly Route[],
  receivers: ReadonlySet<string>,
): RecordedContacts {
  const byOperation = new Map<string, Set<Contact>>();
  const handled = new AsyncLocalStorage<Handled | undefined>();
  const note = (contact: Contact): void => {
    const request = handled.getStore();
    if (request === undefined || request.isOver) return;
    const known = byOperation.get(request.operationId) ?? new Set();
    byOperation.set(request.operationId, known.add(contact));
  };

  const { port } = new URL(url);
  const onIncoming = (message: unknown): void => {
    // Node's types do not describe the messages of its channels.
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.socket.localPort !== Number(port)) return;
    const { method = 'GET', url: path = '/' } = request;
    const operationId = findRoute(routes, method, path)?.operationId;
    if (operationId === undefined) return;
    const current = { operationId, isOver: false };
    response.once('close', () => {
      current.isOver = true;
    });
    handled.enterWith(current);
  };
  const onOutgoing = (message: unknown): void => {
    const { request } = message as { request: { origin: string | URL } };
    note(receivers.has(String(request.origin)) ? 'receiver' : 'ledger');
  };
  subscribe('http.server.request.start', onIncoming);
  subscribe('undici:request:create', onOutgoing);

  // The runtime's `plugins` is the plugin loader. Its type declares only some of the loader's methods.
  const { ledgers, plugins: loader } = server.runtime;
  const endings = [
    ...(['open', 'reopen', 'probe'] as const).map((name) => observe(ledgers, name, () => note('ledger'))),
    ...(['choose', 'plugin', 'inspect', 'check'] as const).map((name) =>
      observe(loader, name, () => note('plugin')),
    ),
  ];
  return {
    byOperation,
    stop() {
      unsubscribe('http.server.request.start', onIncoming);
      unsubscribe('undici:request:create', onOutgoing);
      for (const end of endings) end();
    },
  };
}

/** Calls `called` before each call of a method of one object. Returns a function that removes the listener. */
function observe(target: object, name: string, called: () => void): () => void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new TypeError(`There is no method ${name}.`);
  Reflect.set(target, name, (...given: unknown[]) => {
    called();
    return Reflect.apply(original, target, given);
  });
  // Without its own property, the object has the method of its class again.
  return () => void Reflect.deleteProperty(target, name);
}
