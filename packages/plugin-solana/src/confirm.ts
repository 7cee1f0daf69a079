import type { AdapterHost, Confirmed, ConfirmRequest, Cursor, Outcome } from '@ledger-ops/adapter';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, type Signature } from '@solana/kit';
import { type Placed, placesOf, signaturesIn } from './blocks/final.ts';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import { loader } from './deployment/loader.ts';
import { errorsOfStep, outcomeOfStep, type SentSteps } from './deployment/sent-steps.ts';
import { expiredOf } from './expire.ts';
import { spentNonces } from './nonces/nonce.ts';
import type { SolanaProperties } from './properties.ts';
import { answers, ask } from './rpc/answers.ts';
import { isCustomError, problemOf } from './rpc/errors.ts';
import { isWithoutBlock, type SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import type { Timing } from './timing.ts';

/** The part of a session that confirming needs. */
export interface ConfirmContext {
  nodes: Nodes;
  properties: SolanaProperties;
  steps: SentSteps;
  host: AdapterHost;
  timing: Timing;
}

const phase = 'confirm';

/** Slots after which a block that was confirmed is finalized, and needs no second look. */
const settledAfter = 512n;

/**
 * Finds outcomes by asking for the transactions' own statuses: no block is walked. What the first node that works does
 * not show as final, the others are asked for from time to time: it may be behind them.
 */
export function createConfirmer(context: ConfirmContext) {
  const { nodes, host, timing } = context;
  let othersAskedAt = Number.NEGATIVE_INFINITY;

  async function askOthers(left: readonly Signature[]): Promise<Outcome[]> {
    if (left.length === 0 || nodes.size === 1 || host.now() < othersAskedAt + timing.otherNodes) return [];
    othersAskedAt = host.now();
    const found = await nodes.onEvery(phase, async (node) => {
      const { height } = await readHead(node);
      return outcomesOn(node, left, height, context);
    });
    const all = [...found.answers.values()].flat();
    return [...new Map(all.map((outcome) => [outcome.txId, outcome])).values()];
  }

  return async ({ cursor, pending }: ConfirmRequest): Promise<Confirmed> => {
    const ids = signaturesIn(pending.keys());
    const { head, place, outcomes } = await nodes.onNode(phase, async (node) => {
      const newest = await readHead(node);
      const found = await outcomesOn(node, ids, newest.height, context);
      return { head: newest, place: await placeOf(node, cursor, newest), outcomes: found };
    });
    const known = new Set(outcomes.map(({ txId }) => txId));
    const others = await askOthers(ids.filter((id) => !known.has(id)));
    for (const { txId } of others) known.add(txId);
    const past = [...pending].filter(
      ([txId, { validUntil = head.height }]) => validUntil < head.height && !known.has(txId),
    );
    const expired = await expiredOf(new Map(past), nodes, context.properties);
    for (const { txId } of expired) known.add(txId);
    const spent = await spentNonces(
      ids.filter((id) => !known.has(id)),
      context.steps,
      nodes,
      context.properties,
    );
    return {
      ...place,
      head: { height: head.height, hash: head.hash },
      outcomes: [...outcomes, ...others, ...expired, ...spent],
    };
  };
}

/** The next cursor, and whether the block of the last one is no longer part of the chain. */
async function placeOf(
  node: SolanaNode,
  cursor: Cursor | null,
  head: Block,
): Promise<{ cursor: Cursor; reorganised: boolean }> {
  const next = { height: head.height, hash: `${head.slot}:${head.hash}` };
  if (cursor === null || cursor.hash === next.hash) return { cursor: next, reorganised: false };
  const [slotText = '', hash] = cursor.hash.split(':');
  const slot = /^\d{1,16}$/.test(slotText) ? BigInt(slotText) : head.slot;
  // A node that is behind says nothing of it.
  if (head.slot < slot || head.height < cursor.height) return { cursor, reorganised: false };
  if (head.slot - slot > settledAfter) return { cursor: next, reorganised: false };
  const block = await readBlock(node, slot).catch((error: unknown) => {
    if (isWithoutBlock(error)) return null;
    throw error;
  });
  return { cursor: next, reorganised: block?.hash !== hash };
}

/** Outcomes that a node shows. */
async function outcomesOn(
  node: SolanaNode,
  ids: readonly Signature[],
  headHeight: number,
  { properties, steps }: ConfirmContext,
): Promise<Outcome[]> {
  const places = await placesOf(node, ids, headHeight, properties);
  const final = [...places].filter(([, { isFinal }]) => isFinal);
  const outcomes = await Promise.all(final.map(([txId, place]) => outcomeOf(node, txId, place, steps)));
  return outcomes.filter((outcome) => outcome !== undefined);
}

/**
 * Undefined where the node does not show the transaction itself yet, and where this session has not sent it and needs what the
 * bytes say: what comes after a step of a deployment, what a program calls its errors.
 */
async function outcomeOf(
  { nodeId, rpc }: SolanaNode,
  txId: Signature,
  { block, err }: Placed,
  steps: SentSteps,
): Promise<Outcome | undefined> {
  const call = rpc.getTransaction(txId, {
    commitment: 'confirmed',
    encoding: 'base64',
    maxSupportedTransactionVersion: 0,
  });
  const found = await ask(nodeId, call, answers.transaction);
  if (found === null || found.slot !== block.slot) return undefined;
  const step = steps.find(txId);
  if (step === undefined && (isCustomError(err) || namesLoader(found.transaction))) return undefined;
  // An estimate of the validators, in seconds.
  const { blockTime } = found;
  const where = {
    ...{ txId, height: block.height, blockHash: block.hash },
    ...(blockTime === undefined || blockTime === null ? {} : { blockTime: Number(blockTime) * 1_000 }),
  };
  const fee = found.meta === null ? {} : { fee: found.meta.fee };
  const outcome =
    err === null
      ? { ...where, status: 'succeeded' as const, ...fee }
      : {
          ...where,
          status: 'failed' as const,
          problem: problemOf({ err, logs: found.meta?.logMessages ?? null }, errorsOfStep(step), phase, txId),
          ...fee,
        };
  return step === undefined || step === null ? outcome : outcomeOfStep(outcome, step);
}

/** Whether a transaction, as nodes answer it in base64, could be a step of a deployment. */
function namesLoader(answer: unknown): boolean {
  const [text] = Array.isArray(answer) ? answer : [];
  if (typeof text !== 'string') return false;
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(text, 'base64'));
  return getCompiledTransactionMessageDecoder()
    .decode(messageBytes)
    .staticAccounts.some((account) => account === loader);
}
