// Opens sessions in a process that has not opened one yet. See `printLongestTurn`.
// Every server has loaded this, because the adapter for Ethereum imports it.
import '@ledger-ops/adapter/outbound';
import { printLongestTurn } from '../../../testing/first-session.ts';
import { solanaAdapter } from '../src/definition.ts';

const end = new AbortController();
const ledger = {
  ledgerId: 'first',
  technology: 'solana',
  properties: { development: true },
  nodes: [{ nodeId: 'a', uri: 'http://127.0.0.1:9' }],
};
const host = { now: Date.now, signal: end.signal, log: () => undefined };
await printLongestTurn(() => Promise.all(Array.from({ length: 24 }, () => solanaAdapter.open(ledger, host))));
end.abort();
