import {
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Phase,
} from '@ledger-ops/adapter';
import { addressOfPublicKey, invalid, requireAddress } from './address.ts';
import { checkOperation } from './check.ts';
import { createCodeCache } from './code-cache.ts';
import { createConfirmer } from './confirm.ts';
import { emulateOperation } from './emulate.ts';
import { createErrorRegistry } from './errors.ts';
import { estimateAll } from './estimate.ts';
import { createHeads } from './heads.ts';
import { inspectAll } from './inspect.ts';
import { createAbiCache } from './interface.ts';
import { createLedgerViews } from './ledger-view.ts';
import { lookUp } from './lookup.ts';
import { NodeFailure } from './node-failure.ts';
import { createPassedOver } from './passed-over.ts';
import { advanceAttempt, prepareAttempts } from './prepare.ts';
import { readProperties } from './properties.ts';
import { readQuantity } from './quantity.ts';
import { replaceAll } from './replace.ts';
import { openRpc } from './rpc.ts';
import { nextSequences } from './sequences.ts';
import { createSubmitter } from './submit.ts';

/**
 * Opens a session on an Ethereum ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node address.
 */
export async function openSession(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession> {
  const properties = readProperties(ledger);
  const end = new AbortController();
  const rpc = openRpc(ledger, properties, host, end.signal);
  const views = createLedgerViews(rpc, properties, host);
  const heads = createHeads(rpc, views, properties, host);
  const registry = createErrorRegistry();
  const abis = createAbiCache();
  const passedOver = createPassedOver(ledger.ledgerId, ledger.nodes.length, host);
  const context = {
    rpc,
    passedOver,
    views,
    heads,
    registry,
    abis,
    properties,
    host,
    codes: createCodeCache(rpc),
  };
  const confirmer = createConfirmer(context);
  const submitter = createSubmitter(context);

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      host.signal.removeEventListener('abort', onAbort);
      end.abort();
      heads.close();
      await rpc.close();
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
      if (error instanceof NodeFailure) throw error.toAdapterError(phase);
      throw error;
    }
  }

  /** In one batch. */
  function readBalances(addresses: readonly string[]): Promise<bigint[]> {
    const all = addresses.map((address) => requireAddress(address, 'check', '/address'));
    return rpc.onNode('check', async (node) => {
      const answers = await node.batch(
        all.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })),
      );
      return answers.map((answer) => {
        if (!answer.ok) throw new NodeFailure('unavailable', `Node ${node.nodeId} refused eth_getBalance.`);
        return readQuantity(answer.result, 'the answer to eth_getBalance');
      });
    });
  }

  return {
    chain: ({ everyNode = false } = {}) =>
      whileOpen('open', async () => {
        const { chainId, ...chain } = await (everyNode ? rpc.identityOfAll() : rpc.identity('open'));
        return { id: `eip155:${chainId}`, ...chain };
      }),
    createWallet: ({ publicKey, parameters }) =>
      whileOpen('wallet', () => {
        const [unknown] = Object.keys(parameters);
        if (unknown !== undefined) {
          throw invalid('wallet', `/parameters/${unknown}`, 'is not a parameter of Ethereum wallets');
        }
        return { done: true, result: { address: addressOfPublicKey(publicKey) } };
      }),
    advanceWallet: () =>
      whileOpen('wallet', () => {
        throw invalid('wallet', '/state', 'is of no wallet: Ethereum wallets need no signature');
      }),
    check: (request) => whileOpen('check', () => checkOperation(request, context)),
    estimate: (requests) => whileOpen('estimate', () => estimateAll(requests, context)),
    prepare: (requests) =>
      whileOpen('prepare', () => requests.map((request) => prepareAttempts(request, properties))),
    advance: (advances) => whileOpen('prepare', () => advances.map(advanceAttempt)),
    replace: (requests) => whileOpen('prepare', () => replaceAll(requests, context)),
    inspect: (requests) => whileOpen('confirm', () => inspectAll(requests, context)),
    submit: (submissions) =>
      whileOpen('submit', async () => {
        const answers = await submitter.submit(submissions);
        heads.nudge();
        return answers;
      }),
    confirm: (request) =>
      whileOpen('confirm', async () => {
        if (request.pending.size > 0) heads.nudge();
        const confirmed = await confirmer.confirm(request);
        if (confirmed.reorganised) context.codes.clear();
        const warnings = passedOver.warnings();
        return warnings.length === 0 ? confirmed : { ...confirmed, warnings };
      }),
    onHead(listener) {
      if (end.signal.aborted) {
        throw adapterError('unavailable', 'confirm', `The session of ledger ${ledger.ledgerId} is closed.`);
      }
      return heads.onHead(listener);
    },
    sequences: (addresses, expected = []) =>
      whileOpen('check', () => {
        const all = addresses.map((address) => requireAddress(address, 'check', '/address'));
        return nextSequences(rpc, all, expected);
      }),
    balances: (addresses) => whileOpen('check', () => readBalances(addresses)),
    normaliseAddress: (address) => whileOpen('check', () => requireAddress(address, 'check', '/address')),
    emulate: (request) => whileOpen('emulate', () => emulateOperation(request, context)),
    lookup: (txId) => whileOpen('lookup', () => lookUp(txId, context)),
    close,
  };
}
