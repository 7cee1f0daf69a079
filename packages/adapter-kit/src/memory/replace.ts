import type {
  AdapterProblem,
  Inspected,
  LateTransaction,
  Replaced,
  ReplaceRequest,
} from '@ledger-ops/adapter';
import { type AttemptContext, openRound } from './attempts.ts';
import type { MemoryLedger } from './ledger.ts';
import { type MemoryPlan, planFromJson } from './plan.ts';
import { replacementPrice } from './pool.ts';
import {
  decodeTransaction,
  gasPerTransaction,
  type MemoryTransaction,
  type TransactionBody,
} from './transaction.ts';

/** Content of the no-op that replaces signed transactions. */
const nothing = { value: 0n, data: '0x', gas: gasPerTransaction };

/** Returns the next attempt at a sequence, at the ledger's current price. */
export function replaceLate(
  request: ReplaceRequest,
  ledger: MemoryLedger,
  context: AttemptContext,
): Replaced {
  const plan = planFromJson(request.plan, 'prepare');
  const isNoop = request.kind === 'noop';
  const isFirst = isNoop && request.signed.length === 0;
  const [read, ...others] = signedOf(request, ledger);
  const main = isFirst ? emptyOf(request, plan, context) : read;
  if (main === undefined) return wait('unavailable', 'The signed transaction cannot be read.');
  const best = others.reduce((most, { gasPrice }) => larger(most, gasPrice), main.gasPrice);
  const asked = ledger.gasPrice;
  if (!isNoop && request.raise === 'if-asked' && best >= asked) return { status: 'enough' };
  if (!isNoop && plan.fixedPrice) {
    const detail = `The ledger requires ${asked} per gas, but the action allows at most ${plan.gasPrice}.`;
    return wait('fee-above-cap', detail);
  }
  const gasPrice = isFirst ? asked : larger(replacementPrice(best), asked);
  const body = { ...main, ...(isNoop ? { ...nothing, to: main.from } : {}), gasPrice };
  const fee = body.gas * gasPrice;
  if (request.cap !== undefined && gasPrice > request.cap) {
    return wait(
      'fee-above-cap',
      `The price per gas is ${gasPrice}, but the cap of the caller is ${request.cap}.`,
    );
  }
  if (context.feeCap !== undefined && fee > context.feeCap) {
    const detail = `The ledger requires ${asked} per gas, but the fee of ${fee} is above max_fee_cap, ${context.feeCap}.`;
    return wait('fee-above-cap', detail);
  }
  const balance = ledger.balanceOf(main.from);
  if (balance < body.value + fee) {
    const detail = `${main.from} holds ${balance}, but ${body.value + fee} are required.`;
    return wait('insufficient-funds', detail);
  }
  return {
    status: 'prepared',
    attempt: { kind: request.kind, round: openRound(body, context) },
  };
}

/** Returns an empty transaction for a sequence without signed transactions. */
function emptyOf(
  { sequence }: ReplaceRequest,
  { from }: MemoryPlan,
  { chainId }: AttemptContext,
): TransactionBody {
  return {
    ...nothing,
    chainId,
    from,
    to: from,
    sequence: sequence ?? null,
    gasPrice: 0n,
    salt: '',
    validUntil: null,
  };
}

/** Searches for a late transaction on the nodes, and explains why they would not accept it now. */
export function inspectLate(late: LateTransaction, ledger: MemoryLedger): Inspected {
  const signed = signedOf(late, ledger);
  const isShown = signed.some(
    ({ txId }) => ledger.transaction(txId) !== undefined || ledger.pool.some((one) => one.txId === txId),
  );
  const status = isShown ? 'shown' : 'absent';
  const newest = signed.at(-1);
  if (newest === undefined) return { status: 'unknown' };
  const rule = ledger.rule?.(newest);
  if (rule !== undefined) return { status, problem: problem('refused', rule), hopeless: true };
  if (ledger.blockGas !== undefined && newest.gas > ledger.blockGas) {
    const detail = `The transaction may use ${newest.gas} gas, but a block holds only ${ledger.blockGas}.`;
    return { status, problem: problem('refused', detail) };
  }
  const cost = newest.value + newest.gas * newest.gasPrice;
  const balance = ledger.balanceOf(newest.from);
  if (balance < cost) {
    const detail = `${newest.from} holds ${balance}, but the transaction can cost ${cost}.`;
    return { status, problem: problem('insufficient-funds', detail) };
  }
  return { status };
}

/** Returns the signed transactions, in signing order. */
function signedOf({ signed }: LateTransaction, { signingRounds }: MemoryLedger): MemoryTransaction[] {
  return signed.flatMap(({ bytes }) => {
    const decoded = decodeTransaction(bytes, signingRounds);
    return typeof decoded === 'string' ? [] : [decoded];
  });
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function problem(code: AdapterProblem['code'], detail: string): AdapterProblem {
  return { code, phase: 'prepare', detail };
}

function wait(code: AdapterProblem['code'], detail: string): Replaced {
  return { status: 'wait', problem: problem(code, detail) };
}
