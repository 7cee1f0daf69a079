import {
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Phase,
} from '@ledger-ops/adapter';
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
import { inspectAll } from './inspect.ts';
import { lookUp } from './lookup.ts';
import { createLru } from './lru.ts';
import { highestNonces, nextNonces } from './nonces/next-nonces.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { replaceAll } from './replace.ts';
import { NodeError } from './rpc/node-error.ts';
import { openNodes } from './rpc/nodes.ts';
import { createUnreliableNodes } from './rpc/unreliable-nodes.ts';
import { submitAll } from './submit.ts';
import { defaultTiming, type Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { advanceWallet, createWallet } from './wallet.ts';

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
): Promise<LedgerSession> {
  const properties = readProperties(ledger);
  const end = new AbortController();
  const nodes = openNodes(ledger, properties, host, end.signal, timing);
  const views = createLedgerViews(nodes, properties, host, timing);
  const heads = createHeads(nodes, views, properties, host, timing);
  const unreliable = createUnreliableNodes(ledger.ledgerId, ledger.nodes.length, host, timing);
  const context = {
    ...{ nodes, unreliable, views, heads, properties, host, timing },
    registry: createErrorRegistry(),
    abis: createAbiCache(),
    codes: createCodeCache(nodes, timing),
    takenBy: createLru<string, readonly string[]>(rememberedTransactions),
  };
  const confirmer = createConfirmer(context);

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      host.signal.removeEventListener('abort', onAbort);
      end.abort();
      heads.close();
      await nodes.close();
    })();
    return closing;
  };
  const onAbort = () => void close();
  host.signal.addEventListener('abort', onAbort);
  if (host.signal.aborted) onAbort();

  /** Runs a call while the session is open; a node's failure that got this far becomes an AdapterError. */
  async function whileOpen<Result>(phase: Phase, run: () => Result | Promise<Result>): Promise<Result> {
    if (end.signal.aborted) {
      throw adapterError('unavailable', phase, `The session of ledger ${ledger.ledgerId} is closed.`);
    }
    try {
      return await run();
    } catch (error) {
      if (error instanceof NodeError) throw error.toAdapterError(phase);
      throw error;
    }
  }

  return {
    chain: ({ everyNode = false } = {}) =>
      whileOpen('open', async () => {
        const { chainId, ...chain } = await (everyNode ? nodes.identityOfAll() : nodes.identity('open'));
        return { id: `eip155:${chainId}`, ...chain };
      }),
    createWallet: (request) => whileOpen('wallet', () => createWallet(request)),
    advanceWallet: () => whileOpen('wallet', advanceWallet),
    check: (request) => whileOpen('check', () => checkOperation(request, context)),
    estimate: (requests) => whileOpen('estimate', () => estimateAll(requests, context)),
    prepare: (requests) =>
      whileOpen('prepare', () => requests.map((request) => prepareOne(request, properties))),
    advance: (advances) => whileOpen('prepare', () => advances.map(advanceOne)),
    replace: (requests) => whileOpen('prepare', () => replaceAll(requests, context)),
    inspect: (requests) => whileOpen('confirm', () => inspectAll(requests, context)),
    submit: (submissions) =>
      whileOpen('submit', async () => {
        const answers = await submitAll(submissions, context);
        heads.wake();
        return answers;
      }),
    confirm: (request) =>
      whileOpen('confirm', async () => {
        if (request.pending.size > 0) heads.wake();
        const confirmed = await confirmer.confirm(request);
        if (confirmed.reorganised) context.codes.clear();
        const warnings = unreliable.warnings();
        return warnings.length === 0 ? confirmed : { ...confirmed, warnings };
      }),
    onHead(listener) {
      if (end.signal.aborted) {
        throw adapterError('unavailable', 'confirm', `The session of ledger ${ledger.ledgerId} is closed.`);
      }
      return heads.onHead(listener);
    },
    sequences: (addresses, { expected = [], everyNode = false } = {}) =>
      whileOpen('check', () => {
        const all = addresses.map((address) => requireAddress(address, 'check', '/address'));
        return everyNode ? highestNonces(nodes, all) : nextNonces(nodes, all, expected);
      }),
    balances: (addresses) => whileOpen('check', () => readBalances(addresses, context)),
    normaliseAddress: (address) => whileOpen('check', () => requireAddress(address, 'check', '/address')),
    emulate: (request) => whileOpen('emulate', () => emulateOperation(request, context)),
    lookup: (txId) => whileOpen('lookup', () => lookUp(txId, context)),
    close,
  };
}
