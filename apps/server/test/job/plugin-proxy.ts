import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A proxy between the server and a remote plugin. It records requests, and can be unreachable. */
export interface PluginProxy {
  url: string;
  /** Bodies of the plugin's POST requests, in order. */
  bodies(): readonly Record<string, unknown>[];
  /** Returns the trace contexts of each send of an action, also while the plugin was down. */
  traces(actionId: string): string[];
  /** While the proxy is down, it closes every connection. */
  setDown(down: boolean): void;
  /** While this is set, the plugin knows none of its transactions. */
  setForgetful(forgetful: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a plugin, on 127.0.0.1. */
export async function startPluginProxy(target: string): Promise<PluginProxy> {
  const bodies: Record<string, unknown>[] = [];
  const traces: [action: unknown, traceparent: string][] = [];
  let down = false;
  let forgetful = false;
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request);
      const message = body === '' ? undefined : JSON.parse(body);
      if (message !== undefined) traces.push([message.actionId, String(request.headers.traceparent)]);
      if (down) throw new Error('The proxy is down.');
      if (message !== undefined) bodies.push(message);
      const { pathname, searchParams } = new URL(request.url ?? '/', target);
      if (forgetful && request.method === 'GET' && pathname.endsWith('/transactions')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(searchParams.getAll('txId').map(forgotten)));
        return;
      }
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(await answer.text());
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies: () => bodies,
    traces: (actionId) => traces.flatMap(([action, trace]) => (action === actionId ? trace : [])),
    setDown(value) {
      down = value;
    },
    setForgetful(value) {
      forgetful = value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forgotten(txId: string) {
  const detail = 'The transaction does not exist.';
  const problem = { type: 'urn:ledger-ops:problem:not-found', title: 'Not found', status: 404, detail };
  return { txId, status: 'FAILED', problem };
}
