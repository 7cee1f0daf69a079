// Opens sessions in a process that has not opened one yet. Prints the longest turn of the event loop in milliseconds of
// processor time.
import { setTimeout } from 'node:timers/promises';
// Every server has loaded it, because the adapter for Ethereum imports it.
import '@ledger-ops/adapter/outbound';
import { solanaAdapter } from '../src/definition.ts';

const usedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const end = new AbortController();
const ledger = {
  ledgerId: 'first',
  technology: 'solana',
  properties: { development: true },
  nodes: [{ nodeId: 'a', uri: 'http://127.0.0.1:9' }],
};
const host = { now: Date.now, signal: end.signal, log: () => undefined };

let longestMs = 0;
let last = usedMs();
const tick = () => {
  const now = usedMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
};
await setTimeout(10);
last = usedMs();
const timer = setInterval(tick, 1);
const sessions = await Promise.all(Array.from({ length: 24 }, () => solanaAdapter.open(ledger, host)));
await setTimeout(5);
clearInterval(timer);
tick();
await Promise.all(sessions.map((session) => session.close()));
end.abort();
process.stdout.write(String(longestMs));
