import {
  type AdapterHost,
  adapterError,
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
  type EventPosition,
  withoutLongContent,
} from '@ledger-ops/adapter';
import { LongAnswer, NodeError } from '@ledger-ops/adapter/outbound';
import { slices } from '@ledger-ops/glo-core';
import type { Signature } from '@solana/keys';
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
import type { Timing } from './timing.ts';
import { requireAddress } from './transactions/address.ts';
import { isSignatureText } from './transactions/base58.ts';
import type { UnreadableTransactions } from './unreadable-transactions.ts';

const phase = 'lookup';
/** Maximum number of signatures in one answer. */
const listedAtOnce = 1_000;
/** Maximum number of transactions of a program that are listed after a position. */
const mostListed = 50_000;
/** Maximum number of transactions that are searched for one page. */
const mostRead = 200;

/** Maximum number of transactions that are read concurrently. */
const readAtOnce = 32;

/**
 * Maximum data that a program can log in one transaction, in base64 characters and in lines. A transaction
 * has 1.4 million compute units; a line costs 100, and each byte 1.
 */
const mostLogged = { characters: 2_097_152, lines: 16_384 };

type AnsweredTransaction = NonNullable<z.infer<typeof answers.transaction>>;
type ReadTransaction = AnsweredTransaction & { meta: NonNullable<AnsweredTransaction['meta']> };

/** The parts of a session that reading events needs. */
export interface EventsContext {
  nodes: Nodes;
  properties: SolanaProperties;
  unreadable: UnreadableTransactions;
  host: Pick<AdapterHost, 'log' | 'now'>;
  timing: Pick<Timing, 'eventPage'>;
}

/** A transaction that involves the program. */
interface Listed {
  signature: Signature;
  slot: bigint;
  failed: boolean;
}

/** Decodes an event when a page contains it. */
type UnreadEvent = () => ContractEvent;

/**
 * Returns the lines that a program wrote into the logs of transactions that involve it, oldest first. Nodes
 * list transactions by slot, newest first, while heights count blocks. So transactions are listed back to the
 * position, whose `hash` is the id of the last transaction before it.
 */
export async function readEvents(
  { contract, after, limit }: ContractEventsRequest,
  context: EventsContext,
): Promise<ContractEvents> {
  const { nodes, properties } = context;
  const program = requireAddress(contract.address, phase, '/address');
  const idl =
    contract.interface === undefined ? undefined : parseIdl(contract.interface, phase, '/interface');
  return nodes.onNode(phase, async (untimed) => {
    const node = withTimeLimit(untimed, context);
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
    const found: UnreadEvent[] = [];
    const page = async (reached: EventPosition, more: boolean): Promise<ContractEvents> => ({
      events: await slices.run(decodeAll(found)),
      ...{ after: reached, newest, more },
    });
    let reached: EventPosition = after;
    let read = 0;
    for (const some of inBlocks(listed)) {
      const [first] = some;
      if (first === undefined || !(await isUnread(first))) continue;
      const block = await blockOf(first.slot);
      if (block.height > newest) break;
      if (read > 0 && read + some.length > mostRead) return page(reached, true);
      read += some.length;
      const begin = block.height === after.height ? (after.index ?? 0) : 0;
      let index = 0;
      for (let at = 0; at < some.length; at += readAtOnce) {
        const part = some.slice(at, at + readAtOnce);
        const parts = await Promise.all(part.map((one) => eventsOf(node, program, one, block, idl, context)));
        for (const event of parts.flat()) {
          const isUnread = index >= begin;
          if (isUnread && found.length === limit)
            return page({ ...marked(reached.hash), height: block.height, index }, true);
          if (isUnread) found.push(event);
          index += 1;
        }
      }
      reached = { ...marked(some.at(-1)?.signature), height: block.height };
    }
    return page(reached, false);
  });
}

function* decodeAll(found: readonly UnreadEvent[]): Generator<void, ContractEvent[]> {
  const events: ContractEvent[] = [];
  for (const decode of found) {
    yield;
    events.push(withoutLongContent(decode()));
  }
  return events;
}

/** Sends no further request after the time limit. */
function withTimeLimit(node: SolanaNode, { host, timing }: EventsContext): SolanaNode {
  const until = host.now() + timing.eventPage;
  return {
    ...node,
    ask(...call) {
      if (host.now() <= until) return node.ask(...call);
      const detail = `Node ${node.nodeId} did not return a page of events within ${timing.eventPage / 1_000} s.`;
      return Promise.reject(new NodeError('timeout', detail));
    },
  };
}

const marked = (hash: string | undefined) => (hash === undefined ? {} : { hash });

/** Returns the transactions after the given one or, without it, all unread ones; oldest first. */
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
): Promise<UnreadEvent[]> {
  if (failed) return [];
  const found = await readTransaction(node, signature, context);
  if (found instanceof NodeError) {
    const raw = { unreadable: found.message };
    return [() => ({ id: `${height}/${signature}/unreadable`, height, blockHash, txId: signature, raw })];
  }
  const { blockTime, meta, transaction } = found;
  const lines = await slices.run(linesOf(program, meta.logMessages ?? []));
  const place = {
    ...{ height, blockHash, txId: signature },
    ...(blockTime == null ? {} : { time: Number(blockTime) * 1_000 }),
  };
  if (idl === undefined || idl.events.length === 0) {
    if (lines.length === 0) return [];
    const event = withoutLongContent({ id: `${height}/${signature}/0`, ...place, raw: logOf(lines) });
    return [() => event];
  }
  const all = [
    ...dataIn(lines, node),
    ...(await eventInstructionsOf(program, node.nodeId, { transaction, meta })),
  ];
  return all.map((data, index) => () => ({
    ...{ id: `${height}/${signature}/${index}`, ...place },
    // Anchor programs write events as base64 data. All other log lines are free text.
    ...decodeEvent(Buffer.from(data, 'base64'), idl),
    raw: { data },
  }));
}

/**
 * Reads a listed transaction. If no node can read it until a time limit has passed, returns the failure, and the
 * transaction's events are skipped.
 * @throws NodeError before that time
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
      : new NodeError('behind', `Node ${nodeId} lists the transaction ${signature} but does not return it.`);
  if (!unreadable.failed(signature, nodeId)) throw failure;
  host.log('warn', 'solana.events-unreadable', { txId: signature, detail: failure.message });
  return failure;
}

/**
 * Returns a failure that concerns only this transaction. Rethrows failures of the node or of the whole
 * method.
 */
function asUnreadable(error: unknown): NodeError {
  if (error instanceof LongAnswer) return error;
  if (error instanceof UnusableAnswer && !refusesMethod(error)) return error;
  throw error;
}

const textsOf = (lines: readonly ProgramLine[], wanted: ProgramLine['kind']) =>
  lines.flatMap(({ kind, text }) => (kind === wanted ? text : []));

/** @throws NodeError if the node returned more data than a program can log */
function dataIn(lines: readonly ProgramLine[], { nodeId }: SolanaNode): string[] {
  const texts = textsOf(lines, 'data');
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (texts.length <= mostLogged.lines && characters <= mostLogged.characters) return texts;
  throw new NodeError('unavailable', `Node ${nodeId} returned more data than a transaction can log.`);
}

/** Without an IDL, returns all lines that the program logged in one transaction as one event. */
function logOf(lines: readonly ProgramLine[]): ContractEvent['raw'] {
  return { log: textsOf(lines, 'log'), data: textsOf(lines, 'data') };
}
