import {
  AdapterError,
  type AdapterProblem,
  adapterError,
  type Replaced,
  type ReplaceRequest,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { transferGas } from './blocks/transfer-gas.ts';
import { amountOf } from './gas/amount.ts';
import { withHeadroom } from './gas/gas-limit.ts';
import { type Cap, lowestCap, replacementCaps } from './gas/replacement-caps.ts';
import {
  type Asked,
  askedOf,
  feeAt,
  highestOffer,
  type Offer,
  replacementPrices,
  suffices,
} from './gas/replacement-fee.ts';
import { type Plan, planFromJson } from './plan.ts';
import { attemptOf, noopOf } from './prepare.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { quoteAnswer } from './rpc/errors.ts';
import type { RpcCall } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';
import { readSigned } from './transactions/signed-transaction.ts';
import { digestOf, encodeUnsigned, type TransactionFields } from './transactions/transaction.ts';

/** The parts of a session that `replace` needs. */
export interface ReplaceContext {
  nodes: Nodes;
  views: LedgerViews;
  properties: EthereumProperties;
}

/** A late transaction, read from its bytes. */
interface Late {
  request: ReplaceRequest;
  address: string;
  /** The operation's last transaction, if there are several attempts. A no-op if only a no-op is signed. */
  operation: TransactionFields;
  highest: Offer;
  /** Digests of all signed transactions. */
  digests: ReadonlySet<string>;
  caps: readonly Cap[];
}

/** The chain state that one answer is based on. */
interface Reading {
  view: LedgerView;
  balances: ReadonlyMap<string, bigint>;
  /** Gas of a no-op, by address. */
  noopGas: ReadonlyMap<string, bigint>;
}

const phase = 'prepare';

/**
 * Returns the next attempt of each late transaction, at current prices. Earlier offers are read from the
 * signed bytes, never from the plan. Never throws because of a node.
 */
export async function replaceAll(
  requests: readonly ReplaceRequest[],
  context: ReplaceContext,
): Promise<Replaced[]> {
  const all = requests.map((request) => orProblem(() => readLate(request, context.properties)));
  const late = all.flatMap((one) => ('problem' in one ? [] : [one]));
  if (late.length === 0) return all.map((one) => wait('problem' in one ? one.problem : unreadable));
  const reading = await read(late, context).catch(asProblem);
  return all.map((one) => {
    if ('problem' in one) return wait(one.problem);
    if ('problem' in reading) return wait(reading.problem);
    return one.request.kind === 'bump' ? bump(one, reading) : noop(one, reading);
  });
}

const unreadable: AdapterProblem = {
  code: 'invalid-argument',
  phase,
  detail:
    'The transaction that was signed with this nonce cannot be read, because it is not from this adapter.',
};

const wait = (problem: AdapterProblem): Replaced => ({ status: 'wait', problem });

function asProblem(error: unknown): { problem: AdapterProblem } {
  if (error instanceof NodeError) return { problem: error.toAdapterError(phase).problem };
  if (error instanceof AdapterError) return { problem: error.problem };
  throw error;
}

function orProblem<Result>(run: () => Result): Result | { problem: AdapterProblem } {
  try {
    return run();
  } catch (error) {
    return asProblem(error);
  }
}

/** @throws AdapterError `invalid-argument` */
function requireSequence({ sequence }: ReplaceRequest): bigint {
  if (sequence !== undefined) return sequence;
  const detail = 'A sequence is required, because it becomes the nonce.';
  throw adapterError('invalid-argument', detail, { phase });
}

/** @throws AdapterError `invalid-argument` */
function readLate(request: ReplaceRequest, { maxFeeCap }: EthereumProperties): Late {
  const signed = request.signed.flatMap(({ kind, bytes }) => {
    const fields = readSigned(bytes);
    return fields === undefined ? [] : [{ kind, fields }];
  });
  const plan = planFromJson(request.plan, phase);
  const { given } = plan;
  const address = requireAddress(request.wallet.address, phase, '/wallet/address');
  // If nothing is signed, or only a no-op, the operation does not use the nonce.
  const isFiller = request.kind === 'noop' && request.signed.every(({ kind }) => kind === 'noop');
  const operation = isFiller
    ? emptyAt(requireSequence(request), address, plan)
    : signed.findLast(({ kind }) => kind !== 'noop')?.fields;
  if (operation === undefined || signed.length < request.signed.length) throw new AdapterError(unreadable);
  const [first] = signed;
  const ofUser = given.gasPrice ?? given.maxFeePerGas;
  const nameOfUser = `the ${given.gasPrice === undefined ? 'maxFeePerGas' : 'gasPrice'} of the operation`;
  return {
    request,
    address,
    operation,
    highest: highestOffer(signed.map(({ fields }) => fields.fee)),
    digests: new Set(signed.map(({ fields }) => fields.digest)),
    caps: replacementCaps({
      kind: request.kind,
      ledger: maxFeeCap,
      user: ofUser === undefined ? undefined : { price: ofUser, name: nameOfUser },
      request: request.cap,
      first: first === undefined ? undefined : highestOffer([first.fields.fee]).price,
    }),
  };
}

/** Returns an empty transfer to the sender itself; its fee is set later. */
function emptyAt(nonce: bigint, address: string, { chainId, fee }: Plan): TransactionFields | undefined {
  if (fee === undefined) return undefined;
  const free = feeAt(fee.type, 0n, 0n);
  return noopOf({ chainId, nonce }, address, transferGas, free);
}

/** Returns the current head, fees and wallet balances, in one request to one node. */
async function read(late: readonly Late[], { nodes, views }: ReplaceContext): Promise<Reading> {
  const addresses = [...new Set(late.map(({ address }) => address))];
  const estimated = views.transferGas() === 'fixed' ? [] : [...new Set(noopAddresses(late))];
  const calls: RpcCall[] = [
    ...addresses.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })),
    ...estimated.map((address) => ({
      method: 'eth_estimateGas',
      params: [callObject(address, { to: address, value: 0n, data: '0x' })],
    })),
  ];
  return nodes.onNode(phase, async (node) => {
    const [view, answers] = await Promise.all([views.refreshOn(node), node.batch(calls)]);
    const balances = addresses.map((address, index): [string, bigint] => {
      const answer = answers[index];
      if (answer?.ok !== true) {
        const detail = `Node ${node.nodeId} does not report the balance of ${address}.${quoteAnswer(answer)}`;
        throw new NodeError('unavailable', detail);
      }
      return [address, readQuantity(answer.result, 'a balance')];
    });
    const noopGas = estimated.flatMap((address, index): [string, bigint][] => {
      const answer = answers[addresses.length + index];
      if (answer?.ok !== true) return [];
      return [[address, withHeadroom(readQuantity(answer.result, 'an estimate'), view.head.gasLimit)]];
    });
    return { view, balances: new Map(balances), noopGas: new Map(noopGas) };
  });
}

function noopAddresses(late: readonly Late[]): string[] {
  return late.flatMap(({ request, address }) => (request.kind === 'noop' ? [address] : []));
}

/** Prepares the late transaction's operation again, with a higher fee. */
function bump(late: Late, { view, balances }: Reading): Replaced {
  const { request, operation, highest, caps, address } = late;
  const { type } = operation.fee;
  const asked = askedOf(view, type);
  if (request.raise === 'if-asked' && suffices(highest, asked)) return { status: 'enough' };
  const { least, wanted } = replacementPrices(highest, asked, type);
  const cap = lowestCap(caps);
  if (cap !== undefined && cap.limit < least.price) {
    // The cap prevents a higher offer, but the current offer is enough for the next block.
    if (request.raise === 'if-asked' && suffices(highest, { ...asked, nextBlocks: asked.going })) {
      return { status: 'enough' };
    }
    return wait(aboveCap(highest, asked, least, cap));
  }
  const held = balances.get(address) ?? 0n;
  const payable = held < operation.value ? 0n : (held - operation.value) / operation.gas;
  if (payable < least.price) {
    return wait(missingFunds(late, held, operation.value + operation.gas * least.price));
  }
  const price = smallest(wanted.price, cap?.limit, payable);
  return prepared('bump', { ...operation, fee: feeAt(type, price, wanted.tip) });
}

/**
 * Returns an empty transfer to the sender itself that outbids the signed attempts. At the caps it offers as
 * much as the highest attempt: it can still replace attempts that the mempools have dropped. If the current
 * fee is above the caps it waits, because no transaction within the caps would be mined.
 */
function noop(late: Late, { view, balances, noopGas }: Reading): Replaced {
  const { operation, highest, caps, address, digests } = late;
  const { type } = operation.fee;
  const asked = askedOf(view, type);
  const most = lowestCap(caps);
  const { least, wanted } = replacementPrices(highest, asked, type);
  if (most !== undefined && most.limit < asked.going) return wait(aboveCap(highest, asked, least, most));
  const cap = most?.limit;
  const hasRoom = cap === undefined || cap >= least.price;
  const gas = noopGas.get(address) ?? transferGas;
  const floor = hasRoom ? least.price : highest.price;
  const held = balances.get(address) ?? 0n;
  if (held < gas * floor) return wait(missingFunds(late, held, gas * floor));
  const fee = hasRoom
    ? feeAt(type, smallest(wanted.price, cap, held / gas), wanted.tip)
    : feeAt(type, highest.price, highest.tip);
  let fields = noopOf(operation, address, gas, fee);
  // The no-op must differ from each signed transaction, which may be an empty transfer to oneself as well.
  while (digests.has(hexDigest(fields))) fields = { ...fields, gas: fields.gas + 1n };
  return prepared('noop', fields);
}

function prepared(kind: 'bump' | 'noop', fields: TransactionFields): Replaced {
  return { status: 'prepared', attempt: attemptOf(kind, fields) };
}

function hexDigest(fields: TransactionFields): string {
  return `0x${Buffer.from(digestOf(encodeUnsigned(fields))).toString('hex')}`;
}

function smallest(price: bigint, ...limits: (bigint | undefined)[]): bigint {
  return limits.reduce<bigint>((one, two) => (two !== undefined && two < one ? two : one), price);
}

function aboveCap(highest: Offer, asked: Asked, least: Offer, { limit, name }: Cap): AdapterProblem {
  const detail = `The chain currently requires ${asked.going} wei per gas. The signed transaction offers at most ${highest.price}, and a replacement must offer at least ${least.price}, which exceeds ${name} (${limit}). The transaction waits until the fee falls or the cap is raised.`;
  const data = {
    goingFee: asked.going.toString(),
    offered: highest.price.toString(),
    needed: least.price.toString(),
    cap: limit.toString(),
  };
  return { code: 'fee-above-cap', phase, detail, data };
}

function missingFunds({ request, address }: Late, held: bigint, needed: bigint): AdapterProblem {
  const [thing, effect] =
    request.kind === 'noop'
      ? ['The empty transaction with its nonce', "the wallet's next transactions continue once it is funded"]
      : ['A higher fee', 'it continues once the wallet is funded'];
  const detail = `${thing} cannot be paid for: ${address} holds ${amountOf(held)} but needs at least ${amountOf(needed)}; ${effect}.`;
  const data = { balance: held.toString(), needed: needed.toString(), missing: (needed - held).toString() };
  return { code: 'insufficient-funds', phase, detail, data };
}
