import type { Advance, Prepared, PrepareRequest, Round, SignedTransaction } from '@ledger-ops/adapter';
import type { AddressesByLookupTableAddress } from '@solana/kit';
import { z } from 'zod';
import { readHead } from './blocks/head.ts';
import { deploymentFromJson } from './deployment/deployment.ts';
import { nextStep } from './deployment/step.ts';
import { invalid } from './invalid.ts';
import type { InstructionJson } from './native.ts';
import { requireNonce } from './nonce.ts';
import { budgeted, costOf, type Plan, planFromJson } from './plan.ts';
import type { SolanaProperties } from './properties.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readTables } from './transactions/lookup-tables.ts';
import { compileMessage, requireSize } from './transactions/message.ts';
import { referenceOf } from './transactions/reference.ts';
import { encodeStep, idOfSigned, type SignedStep, stepSchema } from './transactions/signed.ts';

const phase = 'prepare';

type ChainHead = Awaited<ReturnType<typeof readHead>>;

/** The transactions that are signed for an action now. */
interface Due {
  transactions: InstructionJson[][];
  cost: bigint;
  tables?: AddressesByLookupTableAddress;
  step?: SignedStep;
}

/**
 * The messages to be signed, with the newest confirmed blockhash.
 * @throws AdapterError `invalid-argument` where the plan is none, or lacks what the estimate fills in
 */
export async function prepareOne(
  request: PrepareRequest,
  { nodes, properties }: { nodes: Nodes; properties: SolanaProperties },
): Promise<Prepared> {
  const { wallet } = request;
  const { head, due } = await nodes.onNode(phase, async (node): Promise<{ due: Due; head: ChainHead }> => {
    const deployment = deploymentFromJson(request.plan);
    if (deployment === undefined) {
      const plan = planFromJson(request.plan, phase);
      const tables = await readTables(node, plan.lookupTables ?? [], phase);
      const due = { ...dueOfPlan(request.actionId, plan), tables };
      const newest = await readHead(node);
      const { nonceAccount: account } = plan;
      if (account === undefined) return { due, head: newest };
      const nonce = await requireNonce(node, account, wallet.address, phase);
      const step = { kind: 'nonce' as const, account, nonce, since: newest.height, plan: request.plan };
      return { due: { ...due, step }, head: newest };
    }
    const { actionId, plan } = request;
    const { kind, program, ...next } = await nextStep(
      node,
      { wallet: wallet.address, actionId, deployment },
      properties,
    );
    return { due: { ...next, step: { kind, program, plan } }, head: await readHead(node) };
  });
  const lifetime =
    due.step?.kind === 'nonce' ? { ...head, hash: due.step.nonce, nonceAccount: due.step.account } : head;
  const messages = due.transactions.map((instructions) => {
    const transaction = compileMessage(wallet.address, instructions, lifetime, due.tables);
    requireSize(transaction, phase, '/plan');
    return Uint8Array.from(transaction.messageBytes);
  });
  const state: State = {
    messages,
    cost: due.cost.toString(),
    validUntil: lastHeight(head),
    ...(due.step === undefined ? {} : { step: due.step }),
  };
  const requests = messages.map((message) => ({ curve: 'ed25519' as const, message }));
  return { status: 'prepared', attempts: [{ kind: 'main', round: { done: false, requests, state } }] };
}

function dueOfPlan(actionId: string, plan: Plan): Due {
  const { computeUnitLimit: units, computeUnitPrice: price } = plan;
  if (units === undefined || price === undefined) throw invalid(phase, '/plan', 'was not estimated');
  return { transactions: [budgeted(plan, units, price, referenceOf(actionId))], cost: costOf(plan) };
}

/** Nodes count a blockhash's age in the block before: one block more than they say can hold the transaction. */
function lastHeight({ lastValidHeight }: { lastValidHeight: number }): number {
  return lastValidHeight + 1;
}

interface State {
  messages: Uint8Array[];
  cost: string;
  validUntil: number;
  step?: SignedStep | undefined;
}

const stateSchema = z.object({
  messages: z.array(z.instanceof(Uint8Array)).min(1),
  cost: z.string().regex(/^\d+$/),
  validUntil: z.int(),
  step: stepSchema.optional(),
});

/** The signed transaction. @throws AdapterError `invalid-argument` */
export function advanceOne({ state, signatures }: Advance): Round<SignedTransaction> {
  const parsed = stateSchema.safeParse(state);
  if (!parsed.success || signatures.length !== parsed.data.messages.length) {
    throw invalid(phase, '/state', 'is none of this adapter, or has not one signature for each message');
  }
  const { messages, cost, validUntil, step } = parsed.data;
  const signed = messages.map((message, index) =>
    Uint8Array.from([1, ...(signatures[index] ?? []), ...message]),
  );
  const ids = signed.map(idOfSigned);
  const wrong = ids.indexOf(undefined);
  if (wrong >= 0) throw invalid(phase, `/signatures/${wrong}`, "is not the wallet's, of this message");
  const txId = ids.at(-1) ?? '';
  const [first = new Uint8Array()] = signed;
  const result = { txId, cost: BigInt(cost), ...(step?.kind === 'nonce' ? {} : { validUntil }) };
  return {
    done: true,
    result:
      step === undefined
        ? { ...result, bytes: first }
        : { ...result, bytes: encodeStep(signed, step), mayContinue: step.kind !== 'deploy' },
  };
}
