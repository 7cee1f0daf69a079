import {
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Phase,
} from '@ledger-ops/adapter';
import { readBalances } from './balances.ts';
import { createHeads } from './blocks/heads.ts';
import { checkOperation } from './check.ts';
import { createConfirmer } from './confirm.ts';
import { emulateOperation } from './emulate.ts';
import { estimateAll } from './estimate.ts';
import { lookUp } from './lookup.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { NodeError } from './rpc/node-error.ts';
import { openNodes } from './rpc/nodes.ts';
import { submitAll } from './submit.ts';
import type { Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { advanceWallet, createWallet } from './wallet.ts';

/**
 * Opens a session on a Solana ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node address
 */
export async function openSession(
  ledger: LedgerConfig,
  host: AdapterHost,
  timing: Timing,
): Promise<LedgerSession> {
  const properties = readProperties(ledger);
  const end = new AbortController();
  const nodes = openNodes(ledger, properties, host, end.signal, timing);
  const heads = createHeads(nodes, properties, host, timing);
  const context = { nodes, properties, host, timing };
  const confirm = createConfirmer(context);

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

  const closedError = (phase: Phase) =>
    adapterError('unavailable', phase, `The session of ledger ${ledger.ledgerId} is closed.`);

  /** Runs a call while the session is open; a node's failure that got this far becomes an AdapterError. */
  async function whileOpen<Result>(phase: Phase, run: () => Result | Promise<Result>): Promise<Result> {
    if (end.signal.aborted) throw closedError(phase);
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
        const found = everyNode ? await nodes.genesisOfAll() : { genesis: await nodes.genesis('open') };
        return { id: `solana:${found.genesis.slice(0, 32)}`, ...found };
      }),
    createWallet: (request) => whileOpen('wallet', () => createWallet(request)),
    advanceWallet: () => whileOpen('wallet', advanceWallet),
    check: (request) => whileOpen('check', () => checkOperation(request)),
    estimate: (requests) => whileOpen('estimate', () => estimateAll(requests, context)),
    prepare: (requests) =>
      whileOpen('prepare', () => Promise.all(requests.map((request) => prepareOne(request, context)))),
    advance: (advances) => whileOpen('prepare', () => advances.map(advanceOne)),
    submit: (submissions) =>
      whileOpen('submit', () => {
        heads.wake();
        return submitAll(submissions, context);
      }),
    confirm: (request) =>
      whileOpen('confirm', () => {
        if (request.pending.size > 0) heads.wake();
        return confirm(request);
      }),
    onHead(listener) {
      if (end.signal.aborted) throw closedError('confirm');
      return heads.onHead(listener);
    },
    sequences: () =>
      whileOpen('check', (): never => {
        const detail = 'Solana has no sequences: transactions of an account are independent.';
        throw adapterError('unsupported-operation', 'check', detail);
      }),
    balances: (addresses) => whileOpen('check', () => readBalances(addresses, context)),
    normaliseAddress: (address) => whileOpen('check', () => requireAddress(address, 'check', '/address')),
    emulate: (request) => whileOpen('emulate', () => emulateOperation(request, context)),
    lookup: (txId) => whileOpen('lookup', () => lookUp(txId, context)),
    close,
  };
}
