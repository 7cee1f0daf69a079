import {
  type AdapterHost,
  adapterError,
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
} from '@ledger-ops/adapter';
import { LongAnswer, NodeError } from '@ledger-ops/adapter/outbound';
import { slices } from '@ledger-ops/glo-core';
import type { Signature } from '@solana/kit';
import type { z } from 'zod';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import { eventInstructionsOf } from './event-instructions.ts';
import { decodeEvent } from './idl/events.ts';
import { parseIdl } from './idl/idl.ts';
import type { AnchorIdl } from './idl/schema.ts';
import { linesOf, type ProgramLine } from './program-logs.ts';
import type { SolanaProperties } from './properties.ts';
import { answers } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { refusesMethod, UnusableAnswer } from './rpc/unusable-answer.ts';
import { requireAddress } from './transactions/address.ts';
import { isSignatureText } from './transactions/base58.ts';
import type { UnreadableTransactions } from './unreadable-transactions.ts';

const phase = 'lookup';
/** Maximum signatures in one answer. */
const listedAtOnce = 1_000;
/** Maximum transactions of a program that are listed after a position. */
const mostListed = 50_000;
/** Maximum transactions that are searched for one page. */
const mostRead = 200;

/** Maximum transactions that are read concurrently. */
const readAtOnce = 32;

type AnsweredTransaction = NonNullable<z.infer<typeof answers.transaction>>;
type ReadTransaction = AnsweredTransaction & { meta: NonNullable<AnsweredTransaction['meta']> };

/** The parts of a session that reading events needs. */
export interface EventsContext {
  nodes: Nodes;
  properties: SolanaProperties;
  unreadable: UnreadableTransactions;
  host: Pick<AdapterHost, 'log'>;
}

/** A transaction that involves the program. */
interface Listed {
  signature: Signature;
  slot: bigint;
  failed: boolean;
}

/**
 * Lines that a program wrote into the logs of transactions that involve it, oldest first. Nodes list transactions
 * newest first and by slot, while heights count blocks. So they are listed back to the position, whose `hash` is the
 * last transaction before it.
 */
export async function readEvents(
  { contract, after, limit }: ContractEventsRequest,
  context: EventsContext,
): Promise<ContractEvents> {
  const { nodes, properties } = context;
  const program = requireAddress(contract.address, phase, '/address');
  const idl =
    contract.interface === undefined ? undefined : parseIdl(contract.interface, phase, '/interface');
  return nodes.onNode(phase, async (node) => {
    const head = await readHead(node, properties.commitment);
    const deep = (await readHead(node)).height - properties.confirmations + 1;
    const newest = Math.max(0, Math.min(head.height, deep));
    if (after === null) return { events: [], after: { height: newest }, newest, more: false };
    const blocks = new Map<bigint, Promise<Block | null>>();
    const blockOf = async (slot: bigint): Promise<Block> => {
      const reading = blocks.get(slot) ?? readBlock(node, slot);
      blocks.set(slot, reading);
      const block = await reading;
      if (block !== null) return block;
      throw new NodeError('behind', `Node ${node.nodeId} does not return the block in slot ${slot}.`);
    };
    const isUnread = async ({ slot }: Listed) => {
      const { height } = await blockOf(slot);
      return height > after.height || (height === after.height && after.index !== undefined);
    };

    const listed = await list(node, program, after.hash, properties, isUnread);
    const events: ContractEvent[] = [];
    let reached: ContractEvents['after'] = after;
    let read = 0;
    for (const some of inBlocks(listed)) {
      const [first] = some;
      if (first === undefined || !(await isUnread(first))) continue;
      const block = await blockOf(first.slot);
      if (block.height > newest) break;
      if (read > 0 && read + some.length > mostRead) return { events, after: reached, newest, more: true };
      read += some.length;
      const told: ContractEvent[] = [];
      for (let at = 0; at < some.length; at += readAtOnce) {
        const part = some.slice(at, at + readAtOnce);
        const parts = await Promise.all(part.map((one) => eventsOf(node, program, one, block, idl, context)));
        for (const one of parts.flat()) told.push(one);
      }
      const begin = block.height === after.height ? (after.index ?? 0) : 0;
      for (const [index, event] of told.entries()) {
        if (index < begin) continue;
        if (events.length === limit) {
          return {
            ...{ events, newest, more: true },
            after: { ...marked(reached.hash), height: block.height, index },
          };
        }
        events.push(event);
      }
      reached = { ...marked(some.at(-1)?.signature), height: block.height };
    }
    return { events, after: reached, newest, more: false };
  });
}

const marked = (hash: string | undefined) => (hash === undefined ? {} : { hash });

/** Transactions after the given one or, without it, all unread ones; oldest first. */
async function list(
  node: SolanaNode,
  program: string,
  until: string | undefined,
  { commitment }: SolanaProperties,
  isUnread: (one: Listed) => Promise<boolean>,
): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let before: Signature | undefined; ; before = found.at(-1)?.signature) {
    const config = {
      ...{ commitment, limit: listedAtOnce },
      ...(before === undefined ? {} : { before }),
      ...(until !== undefined && isSignatureText(until) ? { until } : {}),
    };
    const page = await node.ask('getSignaturesForAddress', [program, config], answers.signatures);
    if (page.length > listedAtOnce) {
      throw new NodeError('unavailable', `Node ${node.nodeId} returned more transactions than requested.`);
    }
    found.push(
      ...page.flatMap(({ signature, slot, err }) =>
        isSignatureText(signature) ? [{ signature, slot, failed: err !== null }] : [],
      ),
    );
    const oldest = found.at(-1);
    if (page.length < listedAtOnce || oldest === undefined || !(await isUnread(oldest)))
      return found.toReversed();
    if (found.length >= mostListed) {
      const detail = `The program has more than ${mostListed} transactions after the block where reading its events starts. Start at a later block.`;
      throw adapterError('unavailable', detail);
    }
  }
}

/** Groups transactions of the same slot. */
function inBlocks(listed: readonly Listed[]): Listed[][] {
  return [...Map.groupBy(listed, ({ slot }) => slot).values()];
}

async function eventsOf(
  node: SolanaNode,
  program: string,
  { signature, failed }: Listed,
  { height, hash: blockHash }: Block,
  idl: AnchorIdl | undefined,
  context: EventsContext,
): Promise<ContractEvent[]> {
  if (failed) return [];
  const found = await readTransaction(node, signature, context);
  if (found instanceof NodeError) {
    const raw = { unreadable: found.message };
    return [{ id: `${height}/${signature}/unreadable`, height, blockHash, txId: signature, raw }];
  }
  const { blockTime, meta, transaction } = found;
  const logs = meta.logMessages ?? [];
  const lines = await slices.run(linesOf(program, logs));
  const told =
    idl !== undefined && idl.events.length > 0
      ? await slices.run(
          eventsIn(
            [
              ...lines.flatMap(({ kind, text }) => (kind === 'data' ? text : [])),
              ...(await eventInstructionsOf(program, node.nodeId, { transaction, meta })),
            ],
            idl,
          ),
        )
      : logOf(lines);
  return told.map((one, index) => ({
    ...{ id: `${height}/${signature}/${index}`, height, blockHash, txId: signature },
    ...(blockTime == null ? {} : { time: Number(blockTime) * 1_000 }),
    ...one,
  }));
}

/**
 * Reads a listed transaction. Once no node could read it for long enough, returns the failure, and its events are
 * skipped. @throws NodeError until then
 */
async function readTransaction(
  node: SolanaNode,
  signature: Signature,
  { unreadable, host }: Pick<EventsContext, 'unreadable' | 'host'>,
): Promise<ReadTransaction | NodeError> {
  const { nodeId } = node;
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const found = await node
    .ask('getTransaction', [signature, config], answers.transaction)
    .catch(asUnreadable);
  if (!(found instanceof NodeError) && found !== null && found.meta !== null) {
    unreadable.worked(signature);
    return { ...found, meta: found.meta };
  }
  const failure =
    found instanceof NodeError
      ? found
      : new NodeError('behind', `Node ${nodeId} does not show the transaction ${signature} that it lists.`);
  if (!unreadable.failed(signature, nodeId)) throw failure;
  host.log('warn', 'solana.events-unreadable', { txId: signature, detail: failure.message });
  return failure;
}

/** Returns a failure that concerns only this transaction; rethrows failures of the node or of the whole method. */
function asUnreadable(error: unknown): NodeError {
  if (error instanceof LongAnswer) return error;
  if (error instanceof UnusableAnswer && !refusesMethod(error)) return error;
  throw error;
}

type Told = Pick<ContractEvent, 'name' | 'args' | 'raw'>;

/** Events that Anchor programs write as base64 data. Anything else that they log is for people. */
function* eventsIn(all: readonly string[], idl: AnchorIdl): Generator<void, Told[]> {
  const told: Told[] = [];
  for (const data of all) {
    yield;
    told.push({ ...decodeEvent(Buffer.from(data, 'base64'), idl), raw: { data } });
  }
  return told;
}

/** Without an IDL: all lines that the program logged in one transaction, as one event. */
function logOf(lines: readonly ProgramLine[]): Told[] {
  if (lines.length === 0) return [];
  const textsOf = (wanted: ProgramLine['kind']) =>
    lines.flatMap(({ kind, text }) => (kind === wanted ? text : []));
  return [{ raw: { log: textsOf('log'), data: textsOf('data') } }];
}
