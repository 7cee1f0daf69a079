import type { Advance, Prepared, PrepareRequest, Round, SignedTransaction } from '@ledger-ops/adapter';
import { z } from 'zod';
import { readHead } from './blocks/head.ts';
import { invalid } from './invalid.ts';
import { budgeted, costOf, planFromJson } from './plan.ts';
import type { Nodes } from './rpc/nodes.ts';
import { compileMessage } from './transactions/message.ts';
import { referenceOf } from './transactions/reference.ts';
import { idOfSigned } from './transactions/signed.ts';

const phase = 'prepare';

/**
 * The message to be signed, with the newest confirmed blockhash.
 * @throws AdapterError `invalid-argument` where the plan is none, or lacks what the estimate fills in
 */
export async function prepareOne(
  { actionId, wallet, plan: json }: PrepareRequest,
  { nodes }: { nodes: Nodes },
): Promise<Prepared> {
  const plan = planFromJson(json, phase);
  const { computeUnitLimit: units, computeUnitPrice: price } = plan;
  if (units === undefined || price === undefined) throw invalid(phase, '/plan', 'was not estimated');
  const head = await nodes.onNode(phase, (node) => readHead(node));
  const transaction = compileMessage(
    wallet.address,
    budgeted(plan, units, price, referenceOf(actionId)),
    head,
  );
  const message = Uint8Array.from(transaction.messageBytes);
  const state: State = { message, cost: costOf(plan).toString(), validUntil: lastHeight(head) };
  const round = { done: false as const, requests: [{ curve: 'ed25519' as const, message }], state };
  return { status: 'prepared', attempts: [{ kind: 'main', round }] };
}

/** Nodes count a blockhash's age in the block before: one block more than they say can hold the transaction. */
function lastHeight({ lastValidHeight }: { lastValidHeight: number }): number {
  return lastValidHeight + 1;
}

interface State {
  message: Uint8Array;
  cost: string;
  validUntil: number;
}

const stateSchema = z.object({
  message: z.instanceof(Uint8Array),
  cost: z.string().regex(/^\d+$/),
  validUntil: z.int(),
});

/** The signed transaction. @throws AdapterError `invalid-argument` */
export function advanceOne({ state, signatures }: Advance): Round<SignedTransaction> {
  const parsed = stateSchema.safeParse(state);
  const [signature] = signatures;
  if (!parsed.success || signature?.length !== 64 || signatures.length !== 1) {
    throw invalid(phase, '/state', 'is none of this adapter, or has not one signature of 64 bytes');
  }
  const { message, cost, validUntil } = parsed.data;
  const bytes = Uint8Array.from([1, ...signature, ...message]);
  const txId = idOfSigned(bytes);
  if (txId === undefined) throw invalid(phase, '/signatures/0', "is not the wallet's, of this message");
  return { done: true, result: { txId, bytes, cost: BigInt(cost), validUntil } };
}
