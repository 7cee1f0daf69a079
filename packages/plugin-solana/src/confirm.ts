import type { AdapterHost, Confirmed, ConfirmRequest, Cursor, Outcome } from '@ledger-ops/adapter';
import type { Signature } from '@solana/keys';
import { getCompiledTransactionMessageDecoder } from '@solana/transaction-messages';
import { getTransactionDecoder } from '@solana/transactions';
import type { z } from 'zod';
import { type Placed, placesOf, signaturesIn } from './blocks/final.ts';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import { loader } from './deployment/loader.ts';
import { errorsOfStep, outcomeOfStep, type SentSteps } from './deployment/sent-steps.ts';
import { expiredOf } from './expire.ts';
import type { RecentFees } from './fees/recent-fees.ts';
import { spentNonces } from './nonces/nonce.ts';
import type { SolanaProperties } from './properties.ts';
import { answers } from './rpc/answers.ts';
import { limitOf } from './rpc/begun-work.ts';
import { isCustomError, problemOf } from './rpc/errors.ts';
import { inTurns } from './rpc/in-turns.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { isWithoutBlock, readable, UnusableAnswer } from './rpc/unusable-answer.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that `confirm` needs. */
export interface ConfirmContext {
  nodes: Nodes;
  properties: SolanaProperties;
  fees: RecentFees;
  steps: SentSteps;
  host: AdapterHost;
  timing: Timing;
}

const phase = 'confirm';

/** Number of slots after which a confirmed block is final and is not checked again. */
const settledAfter = 512n;

/** Outcomes that a node returns, and, by id, why the node cannot read other transactions. */
interface Found {
  outcomes: Outcome[];
  unreadable: Map<string, string>;
}

/**
 * Finds outcomes through transaction statuses, without reading blocks. At intervals, queries the other nodes
 * for transactions that are not final according to the first working node, because the first node may be
 * behind.
 */
export function createConfirmer(context: ConfirmContext) {
  const { nodes, host, timing } = context;
  let othersAskedAt = Number.NEGATIVE_INFINITY;

  async function askOthers(left: readonly Signature[]): Promise<Outcome[]> {
    if (left.length === 0 || nodes.size === 1 || host.now() < othersAskedAt + timing.otherNodes) return [];
    othersAskedAt = host.now();
    const found = await nodes.onEach(phase, async (node) => {
      return outcomesOn(node, left, await readHead(node), context);
    });
    const all = [...found.answers.values()].flatMap(({ outcomes }) => outcomes);
    return [...new Map(all.map((outcome) => [outcome.txId, outcome])).values()];
  }

  return async ({ cursor, pending }: ConfirmRequest): Promise<Confirmed> => {
    const ids = signaturesIn(pending.keys());
    const { head, place, found } = await nodes.onNode(phase, async (node) => {
      const newest = await readHead(node);
      const next = await placeOf(node, cursor, newest);
      return { head: newest, place: next, found: await outcomesOn(node, ids, newest, context) };
    });
    const { outcomes, unreadable } = found;
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
    for (const { txId } of spent) known.add(txId);
    const remarks = [...unreadable].filter(([txId]) => !known.has(txId));
    return {
      ...place,
      head: { height: head.height, hash: head.hash },
      slot: Number(head.slot),
      outcomes: [...outcomes, ...others, ...expired, ...spent],
      ...(context.fees.warnings.length === 0 ? {} : { warnings: context.fees.warnings }),
      ...(remarks.length === 0 ? {} : { remarks: remarks.map(([txId, detail]) => ({ txId, detail })) }),
    };
  };
}

/** Returns the next cursor, and whether the block of the last cursor was removed from the chain. */
async function placeOf(
  node: SolanaNode,
  cursor: Cursor | null,
  head: Block,
): Promise<{ cursor: Cursor; reorganised: boolean }> {
  const next = { height: head.height, hash: `${head.slot}:${head.hash}` };
  if (cursor === null || cursor.hash === next.hash) return { cursor: next, reorganised: false };
  const [slotText = '', hash] = cursor.hash.split(':');
  const slot = /^\d{1,16}$/.test(slotText) ? BigInt(slotText) : head.slot;
  // A node that is behind proves nothing.
  if (head.slot < slot || head.height < cursor.height) return { cursor, reorganised: false };
  if (head.slot - slot > settledAfter) return { cursor: next, reorganised: false };
  const block = await readable(readBlock(node, slot));
  if (!(block instanceof UnusableAnswer)) return { cursor: next, reorganised: block?.hash !== hash };
  if (isWithoutBlock(block)) return { cursor: next, reorganised: true };
  // If the block cannot be read, the node's list of slots with blocks decides, because a chain has at most
  // one block per slot.
  const range = [Number(slot), Number(slot), { commitment: 'confirmed' }];
  const listed = await readable(node.ask('getBlocks', range, answers.slots));
  if (listed instanceof UnusableAnswer) return { cursor, reorganised: false };
  return { cursor: next, reorganised: !listed.includes(slot) };
}

/**
 * Returns the outcomes of pending transactions according to one node, as far as it returns them within the time limit.
 * After an outage, thousands can be final, and a call that had to read them all would never finish on a slow node.
 */
async function outcomesOn(
  node: SolanaNode,
  ids: readonly Signature[],
  head: Block,
  { properties, steps, host, timing }: ConfirmContext,
): Promise<Found> {
  const timer = () => {
    const end = host.now() + timing.reading;
    return () => host.now() >= end;
  };
  const { shown, unreadable } = await placesOf(node, ids, head, properties, timer());
  const outcomes: Outcome[] = [];
  let limited: unknown;
  const final = [...shown].filter(([, { isFinal }]) => isFinal);
  await inTurns(final, timer(), async ([txId, place]) => {
    if (limited !== undefined) return;
    try {
      const outcome = await readable(outcomeOf(node, txId, place, steps));
      if (outcome instanceof UnusableAnswer) unreadable.set(txId, outcome.message);
      else if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      if (limitOf(error) === undefined) throw error;
      limited = error;
    }
  });
  // Outcomes that were read before a rate limit are returned. The next call reads the others.
  if (limited !== undefined && outcomes.length === 0) throw limited;
  return { outcomes, unreadable };
}

/**
 * Returns the outcome. Undefined if the node does not return the transaction yet. Also undefined if this session did
 * not send the transaction and needs its bytes, for the next deployment step or for the names of the program's errors.
 */
async function outcomeOf(
  node: SolanaNode,
  txId: Signature,
  { block, err }: Placed,
  steps: SentSteps,
): Promise<Outcome | undefined> {
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
  const found = await node.ask('getTransaction', [txId, config], answers.transaction);
  if (found === null || found.slot !== block.slot) return undefined;
  const step = steps.find(txId);
  if (step === undefined && (isCustomError(err) || namesLoader(found.transaction))) return undefined;
  // `blockTime` is the validators' estimate, in seconds.
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
          problem: problemOf(
            { err, logs: found.meta?.logMessages ?? null, ...accountsIn(found) },
            errorsOfStep(step),
            phase,
            txId,
          ),
          ...fee,
        };
  return step === undefined || step === null ? outcome : outcomeOfStep(outcome, step);
}

/** Returns a transaction's signers, and its accounts in order. Accounts of lookup tables come last. */
function accountsIn({ transaction, meta }: NonNullable<z.infer<typeof answers.transaction>>) {
  const message = messageIn(transaction);
  if (message === undefined) return {};
  const { staticAccounts, header } = message;
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {};
  return {
    accounts: [...staticAccounts, ...writable, ...readonly],
    payers: new Set<string>(staticAccounts.slice(0, header.numSignerAccounts)),
  };
}

/** Returns the message of a transaction, which nodes return in base64; undefined if malformed. */
function messageIn(answer: unknown) {
  const [text] = Array.isArray(answer) ? answer : [];
  if (typeof text !== 'string') return undefined;
  try {
    const { messageBytes } = getTransactionDecoder().decode(Buffer.from(text, 'base64'));
    return getCompiledTransactionMessageDecoder().decode(messageBytes);
  } catch {
    // The node's answer is malformed.
    return undefined;
  }
}

/** Whether a transaction may be a deployment step: programs are among its static accounts. */
function namesLoader(answer: unknown): boolean {
  return messageIn(answer)?.staticAccounts.some((account) => account === loader) === true;
}
