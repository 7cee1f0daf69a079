// Opens sessions in a process that has not opened one yet. See `printLongestTurn`.
// Every server has loaded this, because the adapter for Ethereum imports it.
import '@ledger-ops/adapter/outbound';
import { printLongestTurn } from '../../../testing/first-session.ts';
import { fabricAdapter } from '../src/definition.ts';

const { OBSERVER_CERTIFICATE = '', OBSERVER_PRIVATE_KEY = '' } = process.env;
const end = new AbortController();
const ledger = {
  ledgerId: 'first',
  technology: 'hyperledger-fabric',
  properties: {
    ...{ channel: 'c', msp_id: 'Org1MSP' },
    ...{ observer_certificate: OBSERVER_CERTIFICATE, observer_private_key: OBSERVER_PRIVATE_KEY },
  },
  nodes: [{ nodeId: 'a', uri: 'grpc://127.0.0.1:9' }],
};
const host = { now: Date.now, signal: end.signal, log: () => undefined };
await printLongestTurn(() => Promise.all(Array.from({ length: 24 }, () => fabricAdapter.open(ledger, host))));
end.abort();
