import { AdapterError, type AdapterProblem, type Inspected, type LateTransaction } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { receiptOf } from './blocks/receipt.ts';
import { mostGas } from './gas/gas-limit.ts';
import { gasCapOf } from './gas/gas-rules.ts';
import {
  type Account,
  type BrokenRule,
  brokenRule,
  passingObstacle,
  playedObstacle,
  refusesToPlay,
  saysNothing,
  usedNonce,
  wasPlayed,
} from './gas/obstacles.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { classify, quoteAnswer } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity, toHex } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';
import { readSigned, type SignedTransactionFields } from './transactions/signed-transaction.ts';

/** The parts of a session that `inspect` needs. */
export interface InspectContext {
  nodes: Nodes;
  views: LedgerViews;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

/** Place of a signed transaction: a block (`mined`), a mempool (`pool`), none (`absent`), or unknown. */
type TransactionState = 'mined' | 'pool' | 'absent' | 'unknown';

/** A transaction whose obstacles are checked. */
interface UnminedTransaction {
  index: number;
  address: string;
  state: TransactionState;
  /** The operation's last transaction, if there are several attempts. */
  operation: SignedTransactionFields;
  /** Set if the no-op was signed last. */
  noop: SignedTransactionFields | undefined;
}

interface Found {
  problem?: AdapterProblem;
  hopeless?: boolean;
}

const phase = 'confirm';

/**
 * Finds out whether late transactions are in a mempool or mined, and why they are not included in the next
 * block.
 */
export async function inspectAll(
  requests: readonly LateTransaction[],
  context: InspectContext,
): Promise<Inspected[]> {
  const states = await statesOf(requests, context.nodes);
  const unmined = requests.flatMap((request, index): UnminedTransaction[] => {
    const state = states[index] ?? 'unknown';
    const one = state === 'mined' ? undefined : readUnmined(request);
    return one === undefined ? [] : [{ index, state, ...one }];
  });
  const found = await findObstacles(unmined, context);
  return states.map((state, index): Inspected => {
    const status = state === 'mined' || state === 'pool' ? 'shown' : state;
    return { status, ...found.get(index) };
  });
}

/**
 * Queries each node separately, because a node that accepted a transaction may have dropped it while another
 * node has it.
 */
async function statesOf(requests: readonly LateTransaction[], nodes: Nodes): Promise<TransactionState[]> {
  const txIds = requests.flatMap(({ signed }) => signed.map(({ txId }) => txId));
  const calls = txIds.flatMap((txId) => [
    receiptOf(txId),
    { method: 'eth_getTransactionByHash', params: [txId] },
  ]);
  let seen: Map<string, TransactionState>[];
  try {
    // The chain is identified first, so that each node is verified against it before it is queried.
    await nodes.identity(phase);
    const { answers } = await nodes.onEach(phase, async (node) => {
      const all = await node.batch(calls);
      return new Map(txIds.map((txId, index) => [txId, stateOf(all.slice(2 * index, 2 * index + 2))]));
    });
    seen = [...answers.values()];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    seen = [];
  }
  return requests.map(({ signed }) => {
    const all = new Set(signed.flatMap(({ txId }) => seen.map((node) => node.get(txId))));
    return (['mined', 'pool', 'absent'] as const).find((state) => all.has(state)) ?? 'unknown';
  });
}

/** Returns the state of a transaction on one node, from its answers for the receipt and the transaction. */
function stateOf([receipt, transaction]: readonly RpcAnswer[]): TransactionState {
  if (isThere(receipt)) return 'mined';
  if (isThere(transaction)) return 'pool';
  return transaction?.ok === true ? 'absent' : 'unknown';
}

function isThere(answer: RpcAnswer | undefined): boolean {
  return answer?.ok === true && answer.result !== null;
}

function readUnmined({
  wallet,
  signed,
}: LateTransaction): Omit<UnminedTransaction, 'index' | 'state'> | undefined {
  const operation = signed.findLast(({ kind }) => kind !== 'noop');
  const last = signed.at(-1);
  const fields = operation === undefined ? undefined : readSigned(operation.bytes);
  if (fields === undefined) return undefined;
  return {
    address: requireAddress(wallet.address, phase, '/wallet/address'),
    operation: fields,
    noop: last?.kind === 'noop' ? readSigned(last.bytes) : undefined,
  };
}

/** Returns obstacles by index of the request; none if no node can determine them. */
async function findObstacles(
  unmined: readonly UnminedTransaction[],
  context: InspectContext,
): Promise<Map<number, Found>> {
  const { nodes, views, registry } = context;
  if (unmined.length === 0) return new Map();
  try {
    const bound = await mostGasFor(unmined, context);
    return await nodes.onNode(phase, async (node) => {
      const [view, accounts] = await Promise.all([views.refreshOn(node), readAccounts(node, unmined)]);
      const ready = unmined.map((one) => ({ one, ...atFirstSight(one, view, accounts, bound) }));
      const open = ready.filter(({ found, rule }) => found === undefined || rule?.shownBy === 'play');
      const played = await play(
        node,
        open.map(({ one }) => one),
      );
      return new Map(
        ready.map(({ one, found, rule }): [number, Found] => [
          one.index,
          conclude(one, found, rule, played.get(one.index), registry),
        ]),
      );
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return new Map();
  }
}

/**
 * Returns the ledger's gas limit per transaction. Queries the nodes only if a transaction uses more gas than
 * `mostGas`; otherwise, without a configured limit, returns undefined.
 */
async function mostGasFor(
  unmined: readonly UnminedTransaction[],
  { nodes, properties }: InspectContext,
): Promise<bigint | undefined> {
  if (properties.maxTransactionGas !== undefined) return properties.maxTransactionGas;
  const isLarge = unmined.some(({ operation }) => operation.gas > mostGas);
  return isLarge ? gasCapOf(nodes, phase) : undefined;
}

/** Returns the obstacle that can be detected without simulating the operation. */
function atFirstSight(
  { address, operation, noop, state }: UnminedTransaction,
  view: LedgerView,
  accounts: ReadonlyMap<string, Account>,
  bound: bigint | undefined,
): { found: AdapterProblem | undefined; rule?: BrokenRule } {
  const account = accounts.get(address);
  if (account === undefined) return { found: undefined };
  const used = usedNonce(operation, account);
  if (used !== undefined) return { found: used };
  // Once there is a no-op, the account's next transactions wait for the no-op.
  const ofNoop = noop === undefined ? undefined : passingObstacle(noop, view, account);
  if (ofNoop !== undefined) return { found: ofNoop };
  // If a node keeps the transaction in its mempool, the node does not enforce a gas limit per transaction.
  const rule = brokenRule(operation, state === 'pool' ? undefined : bound);
  if (rule !== undefined) return { found: rule.problem, rule };
  return { found: passingObstacle(operation, view, account) };
}

function conclude(
  { state, noop }: UnminedTransaction,
  found: AdapterProblem | undefined,
  rule: BrokenRule | undefined,
  played: RpcAnswer | undefined,
  registry: ErrorRegistry,
): Found {
  // Some chains have other rules. Simulating the transaction on a node shows whether this rule applies.
  const stands = rule !== undefined && (rule.shownBy === 'absence' || !wasPlayed(played));
  if (!stands) {
    const problem = (rule === undefined ? found : undefined) ?? playedObstacle(played, registry);
    return problem === undefined ? {} : { problem };
  }
  const isSure = rule.shownBy === 'absence' ? state === 'absent' : refusesToPlay(played);
  return { problem: rule.problem, ...(isSure && noop === undefined ? { hopeless: true } : {}) };
}

async function readAccounts(
  node: RpcNode,
  unmined: readonly UnminedTransaction[],
): Promise<Map<string, Account>> {
  const addresses = [...new Set(unmined.map(({ address }) => address))];
  const answers = await node.batch(
    addresses.flatMap((address) => [
      { method: 'eth_getBalance', params: [address, 'latest'] },
      { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    ]),
  );
  return new Map(
    addresses.map((address, index): [string, Account] => {
      const [balance, count] = answers.slice(2 * index, 2 * index + 2);
      if (balance?.ok !== true || count?.ok !== true) {
        const words = quoteAnswer(balance?.ok === true ? count : balance);
        const detail = `Node ${node.nodeId} does not return the account ${address}.${words}`;
        throw new NodeError('unavailable', detail);
      }
      return [
        address,
        {
          address,
          balance: readQuantity(balance.result, 'a balance'),
          count: readQuantity(count.result, 'a transaction count'),
        },
      ];
    }),
  );
}

/**
 * Simulates operations with their own gas. Uses the pending block, because it includes the account's earlier
 * transactions. Uses the newest block if the pending block would also include this transaction, or if the
 * node has no pending block.
 */
async function play(node: RpcNode, unmined: readonly UnminedTransaction[]): Promise<Map<number, RpcAnswer>> {
  const call = ({ address, operation }: UnminedTransaction, block: string) => ({
    method: 'eth_call',
    params: [{ ...callObject(address, operation), gas: toHex(operation.gas) }, block],
  });
  const first = await node.batch(
    unmined.map((one) => call(one, one.state === 'pool' ? 'latest' : 'pending')),
  );
  const again = unmined.filter(({ state }, index) => {
    const answer = first[index];
    return state !== 'pool' && answer?.ok === false && isOfBlock(answer);
  });
  const second = await node.batch(again.map((one) => call(one, 'latest')));
  const answers = new Map<number, RpcAnswer>();
  for (const [place, answer] of first.entries()) answers.set(unmined[place]?.index ?? -1, answer);
  for (const [place, answer] of second.entries()) answers.set(again[place]?.index ?? -1, answer);
  return answers;
}

/** Whether a node may have refused a call because of the block tag, not because of the call. */
function isOfBlock(answer: RpcAnswer & { ok: false }): boolean {
  return saysNothing(answer) || classify(answer.error) === 'other';
}
