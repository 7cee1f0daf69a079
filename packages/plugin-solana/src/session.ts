import type { AdapterHost, LedgerConfig, Session } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { signersOfAll, transactionsOf } from './account-transactions.ts';
import { readBalances } from './balances.ts';
import { createHeads } from './blocks/heads.ts';
import { PlaceReader } from './blocks/place-reader.ts';
import { checkOperation } from './check.ts';
import { createConfirmer } from './confirm.ts';
import { createSentSteps } from './deployment/sent-steps.ts';
import { emulateOperation } from './emulate.ts';
import { estimateAll } from './estimate.ts';
import { readEvents } from './events.ts';
import { RecentFees } from './fees/recent-fees.ts';
import { lookUp } from './lookup.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { Nodes } from './rpc/nodes.ts';
import { submitAll } from './submit.ts';
import type { Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { UnreadableTransactions } from './unreadable-transactions.ts';
import { createWallet } from './wallet.ts';

/**
 * Opens a session on a Solana ledger, without querying it.
 * @throws AdapterError `invalid-argument` for an invalid property or node address
 */
export async function openSession(ledger: LedgerConfig, host: AdapterHost, timing: Timing): Promise<Session> {
  const properties = readProperties(ledger);
  const nodes = new Nodes(ledger, properties, host, host.signal, timing);
  const heads = createHeads(nodes, properties, host, timing);
  const fees = new RecentFees(nodes, host.now);
  const context = { nodes, properties, fees, steps: createSentSteps(), host, timing };
  const confirm = createConfirmer(context);
  const places = new PlaceReader(properties);
  const unreadable = new UnreadableTransactions(nodes.size, timing.unreadableEvents, () => host.now());

  return {
    async chain({ everyNode = false }) {
      const found = everyNode ? await nodes.genesisOfAll() : { genesis: await nodes.genesis('open') };
      return { id: `solana:${found.genesis.slice(0, 32)}`, ...found };
    },
    createWallet,
    check: checkOperation,
    estimate: { all: (requests) => estimateAll(requests, context) },
    prepare: (request) => prepareOne(request, context),
    advance: advanceOne,
    submit: {
      all(submissions) {
        heads.wake();
        return submitAll(submissions, context);
      },
    },
    confirm(request) {
      if (request.pending.size > 0) heads.wake();
      return confirm(request);
    },
    onHead: heads.onHead,
    balances: { all: (addresses) => readBalances(addresses, context) },
    normaliseAddress: (address) => requireAddress(address, 'check', '/address'),
    emulate: (request) => emulateOperation(request, context),
    lookup: (txId) => lookUp(txId, { ...context, places }),
    transactionsOf: (request) => transactionsOf(request, context),
    signersOf: { all: (txIds) => signersOfAll(txIds, context) },
    contractEvents: (request) => readEvents(request, { ...context, unreadable }),
    toAdapterError: (error) => (error instanceof NodeError ? error.toAdapterError() : undefined),
    async close() {
      heads.close();
      await nodes.close();
    },
  };
}
