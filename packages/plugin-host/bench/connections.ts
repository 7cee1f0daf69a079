import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { LedgerSession } from '@ledger-ops/adapter';
import { openProcessAdapter } from '../src/index.ts';

/**
 * Measures connections that the host opens for a child: a call queries a node over HTTP, from a child and
 * from this process. Run with `node --conditions=@ledger-ops/source bench/connections.ts`.
 */
const calls = 2_000;
const together = 50;
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const uri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
const ledger = { ledgerId: 'l', technology: 'ethereum', properties: {}, nodes: [{ nodeId: 'n', uri }] };
const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
const module = fileURLToPath(new URL('calling-module.mjs', import.meta.url));

async function measure(name: string, session: LedgerSession): Promise<void> {
  const begun = performance.now();
  await session.normaliseAddress('node');
  const first = performance.now() - begun;
  const times: Record<string, number[]> = { node: [], nothing: [] };
  for (const [what, all] of Object.entries(times)) {
    for (let call = 0; call < calls; call += 1) {
      const start = performance.now();
      await session.normaliseAddress(what);
      all.push(performance.now() - start);
    }
    all.sort((a, b) => a - b);
  }
  const of = (what: string, part: number) => times[what]?.[Math.floor(calls * part)]?.toFixed(2);
  const start = performance.now();
  const line = async () => {
    for (let call = 0; call < calls / together; call += 1) await session.normaliseAddress('node');
  };
  await Promise.all(Array.from({ length: together }, line));
  const rate = Math.round((calls / (performance.now() - start)) * 1_000);
  console.log(
    `${name}: first ${first.toFixed(1)} ms; with a request p50 ${of('node', 0.5)} p99 ${of('node', 0.99)}, without p50 ${of('nothing', 0.5)} ms; ${rate} requests a second, ${together} at once`,
  );
}

const { default: own } = await import(module);
await measure('this process', await own.open(ledger, host));
for (const isolation of ['restricted', 'best'] as const) {
  const adapter = await openProcessAdapter({ specifier: module, isolation, log: () => undefined });
  await measure(adapter.health().isolation, await adapter.open(ledger, host));
  await adapter.close();
}
server.close();
