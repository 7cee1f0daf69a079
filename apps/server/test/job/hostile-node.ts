import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { asyncListener } from '../../../../testing/async-listener.ts';

/** The node of a hostile plugin's ledger. Sends the plugin code to run, and receives the results. */
export interface HostileNode {
  url: string;
  /** Makes the plugin run the code. Resolves to the plugin's report: `got: …` or `failed: …`. */
  order(code: string): Promise<string>;
  /** Makes the plugin run code that leaves it unable to report. Resolves when the plugin has fetched the code. */
  begin(code: string): Promise<void>;
  close(): Promise<void>;
}

interface Order {
  id: number;
  code: string;
  fetched: () => void;
}

export async function startHostileNode(): Promise<HostileNode> {
  const orders: Order[] = [];
  const reports = new Map<number, (said: string) => void>();
  /** Requests of the module that wait for code. The module may have several in progress. */
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  let next = 1;

  const server: Server = createServer(
    asyncListener(async (request, response) => {
      if (request.url === '/report') {
        const { id, said } = JSON.parse(await text(request));
        reports.get(id)?.(said);
        response.end('{}');
        return;
      }
      let gone = false;
      response.once('close', () => {
        gone = !response.writableFinished;
        wake();
      });
      while (orders.length === 0 && !gone) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
      if (gone) return;
      const order = orders.shift();
      response.end(JSON.stringify({ id: order?.id, code: order?.code }));
      order?.fetched();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;

  function add(code: string): { id: number; fetched: Promise<void> } {
    const id = next;
    next += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    orders.push({ id, code, fetched: resolve });
    wake();
    return { id, fetched: promise };
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    order(code) {
      const { id } = add(code);
      return new Promise((resolve) => reports.set(id, resolve));
    },
    begin: (code) => add(code).fetched,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
