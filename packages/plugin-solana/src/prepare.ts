import {
  type Advance,
  adapterError,
  type Prepared,
  type PrepareRequest,
  type Round,
  type SignedTransaction,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { AddressesByLookupTableAddress } from '@solana/transaction-messages';
import { z } from 'zod';
import { readHead } from './blocks/head.ts';
import { deploymentFromJson } from './deployment/deployment.ts';
import { nextStep } from './deployment/step.ts';
import type { EstimateContext } from './estimate.ts';
import { invalid } from './invalid.ts';
import type { InstructionJson } from './native.ts';
import { durableNonceClaim, requireNonce } from './nonces/nonce.ts';
import { budgeted, budgetOf, costOf, type Plan, planFromJson } from './plan.ts';
import { readTables } from './transactions/lookup-tables.ts';
import { compileMessage, requireSize } from './transactions/message.ts';
import { referenceOf } from './transactions/reference.ts';
import { encodeStep, idOfSigned, type SignedStep, stepSchema } from './transactions/signed.ts';

const phase = 'prepare';

type ChainHead = Awaited<ReturnType<typeof readHead>>;

/** The transactions to sign for an action now. */
interface Due {
  transactions: InstructionJson[][];
  cost: bigint;
  tables?: AddressesByLookupTableAddress;
  /** The fee payer. If undefined, the wallet pays. */
  feePayer?: string;
  step?: SignedStep;
}

/**
 * Returns the messages to sign, with the newest confirmed blockhash.
 * @throws AdapterError `invalid-argument` if the plan is malformed or lacks estimated values
 */
export async function prepareOne(
  request: PrepareRequest,
  { nodes, properties, fees }: EstimateContext,
): Promise<Prepared> {
  const { wallet } = request;
  const { head, due } = await nodes.onNode(phase, async (node): Promise<{ due: Due; head: ChainHead }> => {
    const deployment = deploymentFromJson(request.plan);
    if (deployment === undefined) {
      const plan = planFromJson(request.plan, phase);
      const tables = await readTables(node, plan.lookupTables ?? [], phase);
      const due = { ...dueOfPlan(request, plan), tables };
      const { nonceAccount: account } = plan;
      if (account === undefined) return { due, head: await readHead(node) };
      const { nonce, slot } = await requireNonce(node, account, wallet.address, phase);
      requireUnclaimed(request, account, nonce);
      // The account has this nonce as of this block. Later checks of the nonce's use rely on it.
      const newest = await readHead(node);
      if (newest.slot < slot) throw new NodeError('behind', `Node ${node.nodeId} is behind slot ${slot}.`);
      const step = { kind: 'nonce' as const, account, nonce, since: newest.height, plan: request.plan };
      return { due: { ...due, step }, head: newest };
    }
    const { actionId, plan } = request;
    const { kind, program, ...next } = await nextStep(
      node,
      { wallet: wallet.address, actionId, deployment },
      { properties, fees },
    );
    return { due: { ...next, step: { kind, program, plan } }, head: await readHead(node) };
  });
  const own = wallet.address;
  const lifetime =
    due.step?.kind === 'nonce'
      ? { ...head, hash: due.step.nonce, nonce: { account: due.step.account, authority: own } }
      : head;
  const messages = due.transactions.map((instructions) => {
    const transaction = compileMessage(due.feePayer ?? own, instructions, lifetime, due.tables);
    requireSize(transaction, phase, '/plan');
    // Signers in the order of the message, the payer first.
    const signers = Object.keys(transaction.signatures);
    return { message: Uint8Array.from(transaction.messageBytes), signers };
  });
  const state: State = {
    messages: messages.map(({ message, signers }) => ({ message, signatures: signers.length })),
    cost: due.cost.toString(),
    validUntil: lastHeight(head),
    ...(due.step === undefined ? {} : { step: due.step }),
  };
  const requests = messages.flatMap(({ message, signers }) =>
    signers.map((signer) => ({
      ...{ curve: 'ed25519' as const, message },
      ...(signer === own ? {} : { signer }),
    })),
  );
  return { status: 'prepared', attempts: [{ kind: 'main', round: { done: false, requests, state } }] };
}

/** @throws AdapterError `unavailable` if another pending transaction uses the nonce */
function requireUnclaimed({ unsettled = [] }: PrepareRequest, account: string, nonce: string): void {
  const claim = durableNonceClaim(account, nonce);
  const holder = unsettled.find(({ claims }) => claims.includes(claim));
  if (holder === undefined) return;
  const detail = `The transaction ${holder.txId} uses the nonce of the account ${account}. The next one is signed when the nonce has changed.`;
  throw adapterError('unavailable', detail, { phase });
}

function dueOfPlan({ actionId, wallet }: PrepareRequest, plan: Plan): Due {
  const budget = budgetOf(plan);
  if (budget === undefined) throw invalid(phase, '/plan', 'was not estimated');
  return {
    transactions: [budgeted(plan, budget, referenceOf(actionId))],
    cost: costOf(plan, wallet.address),
    ...(plan.feePayer === undefined ? {} : { feePayer: plan.feePayer }),
    ...(plan.errors === undefined ? {} : { step: { kind: 'call', errors: plan.errors } }),
  };
}

/**
 * Nodes compute a blockhash's age as of the previous block, so one block more than reported can contain the
 * transaction.
 */
function lastHeight({ lastValidHeight }: { lastValidHeight: number }): number {
  return lastValidHeight + 1;
}

interface State {
  /** Each transaction with its number of signatures. */
  messages: { message: Uint8Array; signatures: number }[];
  cost: string;
  validUntil: number;
  step?: SignedStep | undefined;
}

const stateSchema = z.object({
  messages: z
    .array(z.object({ message: z.instanceof(Uint8Array), signatures: z.int().min(1).max(127) }))
    .min(1),
  cost: z.string().regex(/^\d+$/),
  validUntil: z.int(),
  step: stepSchema.optional(),
});

/** Returns the signed transaction. @throws AdapterError `invalid-argument` */
export function advanceOne({ state, signatures }: Advance): Round<SignedTransaction> {
  const parsed = stateSchema.safeParse(state);
  const needed = parsed.data?.messages.reduce((sum, one) => sum + one.signatures, 0);
  if (!parsed.success || signatures.length !== needed) {
    throw invalid(phase, '/state', 'is not from this adapter, or lacks signatures of its messages');
  }
  const { messages, cost, validUntil, step } = parsed.data;
  const left = [...signatures];
  const signed = messages.map(({ message, signatures: count }) => {
    const own = left.splice(0, count).flatMap((signature) => [...signature]);
    return Uint8Array.from([count, ...own, ...message]);
  });
  const ids = signed.map(idOfSigned);
  const wrong = ids.indexOf(undefined);
  if (wrong >= 0)
    throw invalid(phase, `/signatures/${wrong}`, 'is not the signature of a signer of this message');
  const txId = ids.at(-1) ?? '';
  const [first = new Uint8Array()] = signed;
  const exclusion =
    step?.kind === 'nonce' ? { claims: [durableNonceClaim(step.account, step.nonce)] } : { validUntil };
  const result = { txId, cost: BigInt(cost), ...exclusion };
  return {
    done: true,
    result:
      step === undefined
        ? { ...result, bytes: first }
        : {
            ...result,
            bytes: encodeStep(signed, step),
            mayContinue: step.kind !== 'deploy' && step.kind !== 'call',
          },
  };
}
