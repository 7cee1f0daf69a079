import type { AdapterHost, LedgerConfig, Session } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import QuickLRU from 'quick-lru';
import { createErrorRegistry } from './abi/error-registry.ts';
import { createAbiCache } from './abi/interface.ts';
import { readBalances } from './balances.ts';
import { createCodeCache } from './blocks/code-cache.ts';
import { createHeads } from './blocks/heads.ts';
import { createLedgerViews } from './blocks/ledger-view.ts';
import { checkOperation } from './check.ts';
import { createConfirmer } from './confirm.ts';
import { emulateOperation } from './emulate.ts';
import { estimateAll } from './estimate.ts';
import { createEventReader } from './events.ts';
import { inspectAll } from './inspect.ts';
import { lookUp } from './lookup.ts';
import { highestNonces, nextNonces } from './nonces/next-nonces.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { replaceAll } from './replace.ts';
import { openNodes } from './rpc/nodes.ts';
import { createUnreliableNodes } from './rpc/unreliable-nodes.ts';
import { submitAll } from './submit.ts';
import { defaultTiming, type Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { createWallet } from './wallet.ts';

/** Transactions of which it is remembered which nodes took them. */
const rememberedTransactions = 20_000;

/**
 * Opens a session on an Ethereum ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node address.
 */
export async function openSession(
  ledger: LedgerConfig,
  host: AdapterHost,
  timing: Timing = defaultTiming,
): Promise<Session> {
  const properties = readProperties(ledger);
  const nodes = openNodes(ledger, properties, host, host.signal, timing);
  const views = createLedgerViews(nodes, properties, host, timing);
  const heads = createHeads(nodes, views, properties, host, timing);
  const unreliable = createUnreliableNodes(ledger.ledgerId, ledger.nodes.length, host, timing);
  const context = {
    ...{ nodes, unreliable, views, heads, properties, host, timing },
    registry: createErrorRegistry(),
    abis: createAbiCache(),
    codes: createCodeCache(nodes, timing),
    takenBy: new QuickLRU<string, readonly string[]>({ maxSize: rememberedTransactions }),
  };
  const confirmer = createConfirmer(context);
  const events = createEventReader(context);

  return {
    async chain({ everyNode = false }) {
      const { chainId, ...chain } = await (everyNode ? nodes.identityOfAll() : nodes.identity('open'));
      return { id: `eip155:${chainId}`, ...chain };
    },
    createWallet,
    check: (request) => checkOperation(request, context),
    estimate: { all: (requests) => estimateAll(requests, context) },
    prepare: (request) => prepareOne(request, properties),
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
      if (confirmed.reorganised) context.codes.clear();
      const warnings = unreliable.warnings();
      return warnings.length === 0 ? confirmed : { ...confirmed, warnings };
    },
    onHead: heads.onHead,
    sequences(addresses, { expected = [], everyNode = false }) {
      const all = addresses.map((address) => requireAddress(address, 'check', '/address'));
      return everyNode ? highestNonces(nodes, all) : nextNonces(nodes, all, expected);
    },
    balances: { all: (addresses) => readBalances(addresses, context) },
    normaliseAddress: (address) => requireAddress(address, 'check', '/address'),
    emulate: (request) => emulateOperation(request, context),
    lookup: (txId) => lookUp(txId, context),
    contractEvents: (request) => events.read(request),
    toAdapterError: (error) => (error instanceof NodeError ? error.toAdapterError() : undefined),
    async close() {
      heads.close();
      await nodes.close();
    },
  };
}
