import type {
  Advance,
  AttemptKind,
  Json,
  JsonObject,
  Prepared,
  PrepareRequest,
  Round,
  SignedTransaction,
  SigningRequest,
} from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { ed25519KeyOf, toHex } from './address.ts';
import { type MemoryPlan, planFromJson, planToJson, secretHash } from './plan.ts';
import {
  bodyFromJson,
  bodyToJson,
  encodeTransaction,
  gasPerTransaction,
  signersOf,
  signingDigest,
  type TransactionBody,
  transactionId,
} from './transaction.ts';

/** Settings with which a session creates transactions. */
export interface AttemptContext {
  chainId: bigint;
  sequence: 'account' | 'none';
  rounds: number;
  /** Whether bumps and a no-op are signed in advance. */
  replaces: boolean;
  feeCap: bigint | undefined;
  /** How many times a transaction may be created again after a block contained it as invalid. */
  retries: number;
  /** Returns the last block that may contain transactions prepared now; null if there is no limit. */
  validUntil(): number | null;
  /** Returns the fee as the ledger reports it. */
  stated(fee: bigint): bigint;
}

const bumps = 2;
const raise = (price: bigint) => (price * 5n + 3n) / 4n;

/** Creates the attempts of one action: main, bumps up to the cap, and a no-op that pays one step more. */
export function prepareAttempts(request: PrepareRequest, context: AttemptContext): Prepared {
  const plan = planFromJson(request.plan, 'prepare');
  if (plan.gasPrice === null) {
    const detail = 'The plan has no fee yet. Estimate it first.';
    return { status: 'failed', problem: { code: 'invalid-argument', phase: 'prepare', detail } };
  }
  if (context.sequence === 'account' && request.sequence === undefined) {
    const detail = 'A sequence is required, because this ledger counts transactions per account.';
    return { status: 'failed', problem: { code: 'invalid-argument', phase: 'prepare', detail } };
  }
  if (plan.secret !== null && (request.secret === undefined || secretHash(request.secret) !== plan.secret)) {
    const detail = "The plan's secret differs from the secret that check() returned.";
    return { status: 'failed', problem: { code: 'invalid-argument', phase: 'prepare', detail } };
  }
  const main = bodyOf(request, plan, plan.gasPrice, context);
  const bodies: { kind: AttemptKind; body: TransactionBody }[] = [{ kind: 'main', body: main }];
  if (context.replaces) {
    let price = plan.gasPrice;
    for (let made = 0; made < bumps && !plan.fixedPrice; made += 1) {
      const next = raise(price);
      if (context.feeCap !== undefined && next * plan.gas > context.feeCap) break;
      price = next;
      bodies.push({ kind: 'bump', body: { ...main, gasPrice: price } });
    }
    bodies.push({
      kind: 'noop',
      body: { ...main, to: plan.from, value: 0n, data: '0x', gas: gasPerTransaction, gasPrice: raise(price) },
    });
  }
  return {
    status: 'prepared',
    attempts: bodies.map(({ kind, body }) => ({ kind, round: roundOf(body, [], context) })),
  };
}

function bodyOf(
  request: PrepareRequest,
  plan: MemoryPlan,
  gasPrice: bigint,
  context: AttemptContext,
): TransactionBody {
  const counted = context.sequence === 'account';
  return {
    chainId: context.chainId,
    from: plan.from,
    sequence: counted ? (request.sequence ?? null) : null,
    ...(plan.ahead === 0
      ? { to: plan.to, value: plan.value, data: plan.data }
      : { to: plan.from, value: 0n, data: '0x' }),
    gas: plan.gas,
    gasPrice,
    salt: counted ? '' : saltOf(request.actionId, plan),
    validUntil: context.validUntil(),
    ...(plan.payer === undefined ? {} : { payer: plan.payer }),
    ...(plan.signers === undefined ? {} : { signers: plan.signers }),
  };
}

/** Returns a salt that makes a transaction without a sequence unique. It contains the plan, which `confirm` needs. */
function saltOf(actionId: string, plan: MemoryPlan): string {
  return JSON.stringify({ actionId, plan: planToJson(plan) });
}

/** Returns the plan from which a transaction without a sequence was created; undefined if there is none. */
export function planOfSalt(salt: string): MemoryPlan | undefined {
  if (!salt.startsWith('{')) return undefined;
  const parsed: { plan: JsonObject } = JSON.parse(salt);
  return planFromJson(parsed.plan, 'confirm');
}

/** First signing round of a transaction with this body. */
export function openRound(body: TransactionBody, context: AttemptContext): Round<SignedTransaction> {
  const { chainId, from, sequence, to, value, data, gas, gasPrice, salt, validUntil } = body;
  return roundOf({ chainId, from, sequence, to, value, data, gas, gasPrice, salt, validUntil }, [], context);
}

function requestsOf(body: TransactionBody, digest: Uint8Array): SigningRequest[] {
  return signersOf(body).map((address) => ({
    ...(ed25519KeyOf(address) === undefined
      ? { curve: 'secp256k1', digest }
      : { curve: 'ed25519', message: digest }),
    ...(address === body.from ? {} : { signer: address }),
  }));
}

function roundOf(
  body: TransactionBody,
  signatures: string[],
  context: AttemptContext,
): Round<SignedTransaction> {
  if (signatures.length < context.rounds * signersOf(body).length) {
    const state: JsonObject = { body: bodyToJson(body), signatures };
    return { done: false, requests: requestsOf(body, signingDigest(body, signatures)), state };
  }
  const bytes = encodeTransaction(body, signatures);
  const fee = body.payer === undefined ? context.stated(body.gas * body.gasPrice) : 0n;
  const cost = body.value + fee;
  const plan = planOfSalt(body.salt);
  const mayContinue = plan !== undefined && (plan.ahead > 0 || plan.round < context.retries);
  const { validUntil } = body;
  const result = {
    ...{ txId: transactionId(bytes), bytes, cost },
    ...(mayContinue ? { mayContinue } : {}),
    ...(validUntil === null ? {} : { validUntil }),
  };
  return { done: true, result };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: Json): value is string => typeof value === 'string';

/**
 * Continues an attempt.
 *
 * @throws AdapterError `invalid-argument` if the state or a signature is malformed
 */
export function advanceAttempt(advance: Advance, context: AttemptContext): Round<SignedTransaction> {
  const { state } = advance;
  const body = isObject(state) && isObject(state.body) ? bodyFromJson(state.body) : undefined;
  if (!isObject(state) || body === undefined || !Array.isArray(state.signatures)) {
    throw adapterError('invalid-argument', 'The state was not created by this adapter.', {
      phase: 'prepare',
    });
  }
  const { signatures } = advance;
  const [needed, length] = [signersOf(body).length, ed25519KeyOf(body.from) === undefined ? 65 : 64];
  if (signatures.length !== needed || signatures.some((signature) => signature.length !== length)) {
    const count = needed === 1 ? 'One signature' : `${needed} signatures`;
    throw adapterError('invalid-argument', `${count} of ${length} bytes is required.`, { phase: 'prepare' });
  }
  return roundOf(body, [...state.signatures.filter(isText), ...signatures.map(toHex)], context);
}
