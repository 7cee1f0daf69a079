import { AdapterError, type AdapterProblem, type Inspected, type LateTransaction } from '@ledger-ops/adapter';
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
import { classify } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import { NodeError } from './rpc/node-error.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity, toHex } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';
import { readSigned, type SignedTransactionFields } from './transactions/signed-transaction.ts';

/** The part of a session that inspecting needs. */
export interface InspectContext {
  nodes: Nodes;
  views: LedgerViews;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

/** Where one of what is signed was seen. */
type Standing = 'mined' | 'pool' | 'absent' | 'unknown';

/** A transaction whose obstacles are looked for. */
interface Suspect {
  index: number;
  address: string;
  standing: Standing;
  /** The operation; of several attempts the last. */
  operation: SignedTransactionFields;
  /** Set where it is the last that is signed. */
  noop: SignedTransactionFields | undefined;
}

interface Found {
  problem?: AdapterProblem;
  hopeless?: boolean;
}

const phase = 'confirm';

/** Finds where late transactions are shown, and the obstacles that keep them out of the next block. */
export async function inspectAll(
  requests: readonly LateTransaction[],
  context: InspectContext,
): Promise<Inspected[]> {
  const standings = await standingsOf(requests, context.nodes);
  const suspects = requests.flatMap((request, index): Suspect[] => {
    const standing = standings[index] ?? 'unknown';
    const suspect = standing === 'mined' ? undefined : readSuspect(request);
    return suspect === undefined ? [] : [{ index, standing, ...suspect }];
  });
  const found = await findObstacles(suspects, context);
  return standings.map((standing, index): Inspected => {
    const status = standing === 'mined' || standing === 'pool' ? 'shown' : standing;
    return { status, ...found.get(index) };
  });
}

/** Each node is asked for itself: one that took a transaction may have forgotten it, and another may have it. */
async function standingsOf(requests: readonly LateTransaction[], nodes: Nodes): Promise<Standing[]> {
  const txIds = requests.flatMap(({ signed }) => signed.map(({ txId }) => txId));
  const calls = txIds.flatMap((txId) => [
    receiptOf(txId),
    { method: 'eth_getTransactionByHash', params: [txId] },
  ]);
  let shown: Map<string, Standing>[];
  try {
    // First of all, so that each is held against it and none of them, asked at once, is taken for it.
    await nodes.identity(phase);
    const { answers } = await nodes.onEach(phase, async (node) => {
      const all = await node.batch(calls);
      return new Map(txIds.map((txId, index) => [txId, standingOf(all.slice(2 * index, 2 * index + 2))]));
    });
    shown = [...answers.values()];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    shown = [];
  }
  return requests.map(({ signed }) => {
    const all = new Set(signed.flatMap(({ txId }) => shown.map((node) => node.get(txId))));
    return (['mined', 'pool', 'absent'] as const).find((standing) => all.has(standing)) ?? 'unknown';
  });
}

/** Where one node shows a transaction, by its answers for the receipt and for the transaction. */
function standingOf([receipt, transaction]: readonly RpcAnswer[]): Standing {
  if (isThere(receipt)) return 'mined';
  if (isThere(transaction)) return 'pool';
  return transaction?.ok === true ? 'absent' : 'unknown';
}

function isThere(answer: RpcAnswer | undefined): boolean {
  return answer?.ok === true && answer.result !== null;
}

function readSuspect({ wallet, signed }: LateTransaction): Omit<Suspect, 'index' | 'standing'> | undefined {
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

/** By the places of the requests. None where no node can say. */
async function findObstacles(
  suspects: readonly Suspect[],
  context: InspectContext,
): Promise<Map<number, Found>> {
  const { nodes, views, registry } = context;
  if (suspects.length === 0) return new Map();
  try {
    const bound = await mostGasFor(suspects, context);
    return await nodes.onNode(phase, async (node) => {
      const [view, accounts] = await Promise.all([views.refreshOn(node), readAccounts(node, suspects)]);
      const ready = suspects.map((suspect) => ({ suspect, ...atFirstSight(suspect, view, accounts, bound) }));
      const open = ready.filter(({ found, rule }) => found === undefined || rule?.shownBy === 'play');
      const played = await play(
        node,
        open.map(({ suspect }) => suspect),
      );
      return new Map(
        ready.map(({ suspect, found, rule }): [number, Found] => [
          suspect.index,
          conclude(suspect, found, rule, played.get(suspect.index), registry),
        ]),
      );
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return new Map();
  }
}

/** The most gas that one transaction may have, where one of these has as much as could be too much. */
async function mostGasFor(
  suspects: readonly Suspect[],
  { nodes, properties }: InspectContext,
): Promise<bigint | undefined> {
  if (properties.maxTransactionGas !== undefined) return properties.maxTransactionGas;
  const isLarge = suspects.some(({ operation }) => operation.gas > mostGas);
  return isLarge ? gasCapOf(nodes, phase) : undefined;
}

/** The obstacle that shows without playing the operation. */
function atFirstSight(
  { address, operation, noop, standing }: Suspect,
  view: LedgerView,
  accounts: ReadonlyMap<string, Account>,
  bound: bigint | undefined,
): { found: AdapterProblem | undefined; rule?: BrokenRule } {
  const account = accounts.get(address);
  if (account === undefined) return { found: undefined };
  const used = usedNonce(operation, account);
  if (used !== undefined) return { found: used };
  // Once there is a no-op, it is what the account's next transactions wait for.
  const ofNoop = noop === undefined ? undefined : passingObstacle(noop, view, account);
  if (ofNoop !== undefined) return { found: ofNoop };
  // A node that keeps it in its pool does not hold it against the bound.
  const rule = brokenRule(operation, standing === 'pool' ? undefined : bound);
  if (rule !== undefined) return { found: rule.problem, rule };
  return { found: passingObstacle(operation, view, account) };
}

function conclude(
  { standing, noop }: Suspect,
  found: AdapterProblem | undefined,
  rule: BrokenRule | undefined,
  played: RpcAnswer | undefined,
  registry: ErrorRegistry,
): Found {
  // A chain may have other rules, and a node that plays the transaction shows that.
  const stands = rule !== undefined && (rule.shownBy === 'absence' || !wasPlayed(played));
  if (!stands) {
    const problem = (rule === undefined ? found : undefined) ?? playedObstacle(played, registry);
    return problem === undefined ? {} : { problem };
  }
  const isSure = rule.shownBy === 'absence' ? standing === 'absent' : refusesToPlay(played);
  return { problem: rule.problem, ...(isSure && noop === undefined ? { hopeless: true } : {}) };
}

async function readAccounts(node: RpcNode, suspects: readonly Suspect[]): Promise<Map<string, Account>> {
  const addresses = [...new Set(suspects.map(({ address }) => address))];
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
        throw new NodeError('unavailable', `Node ${node.nodeId} does not show the account ${address}.`);
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
 * Plays operations, with the gas that they bring. On the pending block, where the account's transactions before have been
 * executed, unless this one would be as well; on the newest where a node has no pending block.
 */
async function play(node: RpcNode, suspects: readonly Suspect[]): Promise<Map<number, RpcAnswer>> {
  const call = ({ address, operation }: Suspect, block: string) => ({
    method: 'eth_call',
    params: [{ ...callObject(address, operation), gas: toHex(operation.gas) }, block],
  });
  const first = await node.batch(
    suspects.map((suspect) => call(suspect, suspect.standing === 'pool' ? 'latest' : 'pending')),
  );
  const again = suspects.filter(({ standing }, index) => {
    const answer = first[index];
    return standing !== 'pool' && answer?.ok === false && isOfBlock(answer);
  });
  const second = await node.batch(again.map((suspect) => call(suspect, 'latest')));
  const answers = new Map<number, RpcAnswer>();
  for (const [place, answer] of first.entries()) answers.set(suspects[place]?.index ?? -1, answer);
  for (const [place, answer] of second.entries()) answers.set(again[place]?.index ?? -1, answer);
  return answers;
}

/** Whether a node may have refused a call for its block, not for what is called. */
function isOfBlock(answer: RpcAnswer & { ok: false }): boolean {
  return saysNothing(answer) || classify(answer.error) === 'other';
}
