import type { AdapterHost, LedgerConfig, Session } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import QuickLRU from 'quick-lru';
import { createErrorRegistry } from './abi/error-registry.ts';
import { createAbiCache } from './abi/interface.ts';
import { readBalances } from './balances.ts';
import { createCodeCache } from './blocks/code-cache.ts';
import { FeeFloor } from './blocks/fee-floor.ts';
import { createHeads } from './blocks/heads.ts';
import { createLedgerViews, type LedgerView } from './blocks/ledger-view.ts';
import { checkOperation } from './check.ts';
import { Confirmer } from './confirm.ts';
import { emulateOperation } from './emulate.ts';
import { estimateAll } from './estimate.ts';
import { EventReader } from './events.ts';
import { inspectAll } from './inspect.ts';
import { lookUp } from './lookup.ts';
import { highestNonces, nextNonces, pendingNonces } from './nonces/next-nonces.ts';
import { OutsideTransactions } from './nonces/outside-transactions.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { replaceAll } from './replace.ts';
import { Nodes } from './rpc/nodes.ts';
import { createUnreliableNodes } from './rpc/unreliable-nodes.ts';
import { submitAll } from './submit.ts';
import { defaultTiming, type Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { createWallet } from './wallet.ts';

/** Maximum number of transactions for which accepting nodes are remembered. */
const rememberedTransactions = 20_000;

/**
 * Opens a session on an Ethereum ledger, without querying it.
 *
 * @throws AdapterError `invalid-argument` for an invalid property or node address
 */
export async function openSession(
  ledger: LedgerConfig,
  host: AdapterHost,
  timing: Timing = defaultTiming,
): Promise<Session> {
  const properties = readProperties(ledger);
  const nodes = new Nodes(ledger, properties, host, host.signal, timing);
  const floor = new FeeFloor(host.now, timing.feeFloor);
  const views = createLedgerViews(nodes, properties, host, floor, timing);
  const heads = createHeads(nodes, views, properties, host, timing);
  const unreliable = createUnreliableNodes(ledger.ledgerId, ledger.nodes.length, host, timing);
  const context = {
    ...{ nodes, unreliable, views, floor, heads, properties, host, timing },
    registry: createErrorRegistry(),
    abis: createAbiCache(),
    codes: createCodeCache(nodes, timing),
    takenBy: new QuickLRU<string, readonly string[]>({ maxSize: rememberedTransactions }),
  };
  const confirmer = new Confirmer(context);
  const events = new EventReader(context);
  const outside = new OutsideTransactions(nodes, { now: host.now, limit: timing.blockSearch });

  return {
    async chain({ everyNode = false }) {
      const { chainId, ...chain } = await (everyNode ? nodes.identityOfAll() : nodes.identity('open'));
      return { id: `eip155:${chainId}`, ...chain };
    },
    createWallet,
    check: (request) => checkOperation(request, context),
    estimate: { all: (requests) => estimateAll(requests, context) },
    prepare: (request) => prepareOne(request, properties, views.transferGas()),
    advance: advanceOne,
    replace: { all: (requests) => replaceAll(requests, context) },
    inspect: { all: (requests) => inspectAll(requests, context) },
    submit: {
      async all(submissions) {
        const answers = await submitAll(submissions, context);
        heads.wake();
        return answers;
      },
    },
    async confirm(request) {
      if (request.pending.size > 0) heads.wake();
      const confirmed = await confirmer.confirm(request);
      if (confirmed.reorganised) {
        context.codes.clear();
        outside.clear();
      }
      const warnings = unreliable.warnings();
      const gasPrice = currentPrice(views.last());
      return {
        ...confirmed,
        ...(gasPrice === undefined ? {} : { gasPrice }),
        ...(warnings.length === 0 ? {} : { warnings }),
      };
    },
    onHead: heads.onHead,
    sequences(addresses, { expected = [], everyNode = false, unmined = false }) {
      const all = addresses.map((address) => requireAddress(address, 'check', '/address'));
      if (unmined) return pendingNonces(nodes, all);
      return everyNode ? highestNonces(nodes, all) : nextNonces(nodes, all, expected);
    },
    balances: { all: (addresses) => readBalances(addresses, context) },
    normaliseAddress: (address) => requireAddress(address, 'check', '/address'),
    emulate: (request) => emulateOperation(request, context),
    lookup: (txId) => lookUp(txId, context),
    transactionAt: ({ address, sequence }) =>
      outside.find(requireAddress(address, 'lookup', '/address'), sequence),
    contractEvents: (request) => events.read(request),
    toAdapterError: (error) => (error instanceof NodeError ? error.toAdapterError() : undefined),
    async close() {
      heads.close();
      await nodes.close();
    },
  };
}

/** Returns the price per unit of gas, in wei, that a transaction in the next block is likely to pay. */
function currentPrice(view: LedgerView | undefined): bigint | undefined {
  if (view === undefined) return undefined;
  return view.mode === 'legacy' ? view.gasPrice : (view.head.baseFee ?? 0n) + view.priorityFee;
}
