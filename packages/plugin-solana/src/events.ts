import {
  adapterError,
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { type Signature, address as toAddress } from '@solana/kit';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import { eventInstructionsOf } from './event-instructions.ts';
import { decodeEvent } from './idl/events.ts';
import { parseIdl } from './idl/idl.ts';
import type { AnchorIdl } from './idl/schema.ts';
import { linesOf, type ProgramLine } from './program-logs.ts';
import type { SolanaProperties } from './properties.ts';
import { answers, ask } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { requireAddress } from './transactions/address.ts';
import { isSignatureText } from './transactions/base58.ts';

const phase = 'lookup';
/** Signatures that one call answers. */
const listedAtOnce = 1_000;
/** Transactions of a program that are listed behind a position, at most. */
const mostListed = 50_000;
/** Transactions that are looked through for one page. */
const mostRead = 200;

/** A transaction that names the program. */
interface Listed {
  signature: Signature;
  slot: bigint;
  failed: boolean;
}

/**
 * Lines that a program wrote into the logs of transactions that name it, oldest first. Nodes list these from the newest on, and by
 * slots, while heights count blocks: so they are listed back to the position, whose `hash` is the last transaction before it.
 */
export async function readEvents(
  { contract, after, limit }: ContractEventsRequest,
  { nodes, properties }: { nodes: Nodes; properties: SolanaProperties },
): Promise<ContractEvents> {
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
      throw new NodeError('behind', `Node ${node.nodeId} does not show the block in slot ${slot}.`);
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
      const told = (await Promise.all(some.map((one) => eventsOf(node, program, one, block, idl)))).flat();
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

/** Transactions behind one, or, without it, as far back as they are unread; oldest first. */
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
    const call = node.rpc.getSignaturesForAddress(toAddress(program), config);
    const page = await ask(node.nodeId, call, answers.signatures);
    found.push(
      ...page.flatMap(({ signature, slot, err }) =>
        isSignatureText(signature) ? [{ signature, slot, failed: err !== null }] : [],
      ),
    );
    const oldest = found.at(-1);
    if (page.length < listedAtOnce || oldest === undefined || !(await isUnread(oldest)))
      return found.toReversed();
    if (found.length >= mostListed) {
      const detail = `The program has more than ${mostListed} transactions behind the block from which its events are read: begin at a later one.`;
      throw adapterError('unavailable', detail);
    }
  }
}

/** Neighbours in one slot. */
function inBlocks(listed: readonly Listed[]): Listed[][] {
  return [...Map.groupBy(listed, ({ slot }) => slot).values()];
}

async function eventsOf(
  node: SolanaNode,
  program: string,
  { signature, failed }: Listed,
  { height, hash: blockHash }: Block,
  idl: AnchorIdl | undefined,
): Promise<ContractEvent[]> {
  if (failed) return [];
  const call = node.rpc.getTransaction(signature, {
    ...{ commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 },
  });
  const found = await ask(node.nodeId, call, answers.transaction);
  if (found === null || found.meta === null) {
    throw new NodeError(
      'behind',
      `Node ${node.nodeId} does not show the transaction ${signature} that it lists.`,
    );
  }
  const { blockTime, meta, transaction } = found;
  const lines = linesOf(program, meta.logMessages ?? []);
  const told =
    idl !== undefined && idl.events.length > 0
      ? [
          ...eventsIn(lines, idl),
          ...(await eventInstructionsOf(program, node.nodeId, { transaction, meta })).map((data) =>
            eventIn(data, idl),
          ),
        ]
      : logOf(lines);
  return told.map((one, index) => ({
    ...{ id: `${height}/${signature}/${index}`, height, blockHash, txId: signature },
    ...(blockTime == null ? {} : { time: Number(blockTime) * 1_000 }),
    ...one,
  }));
}

type Told = Pick<ContractEvent, 'name' | 'args' | 'raw'>;

/** Events as Anchor programs write them into the log, as data. All else that they log is for people. */
function eventsIn(lines: readonly ProgramLine[], idl: AnchorIdl): Told[] {
  return lines.filter(({ kind }) => kind === 'data').map(({ text }) => eventIn(text, idl));
}

function eventIn(data: string, idl: AnchorIdl): Told {
  return { ...decodeEvent(Buffer.from(data, 'base64'), idl), raw: { data } };
}

/** Of programs of which nothing more is known: all that one transaction had them log, together. */
function logOf(lines: readonly ProgramLine[]): Told[] {
  if (lines.length === 0) return [];
  const textsOf = (wanted: ProgramLine['kind']) =>
    lines.flatMap(({ kind, text }) => (kind === wanted ? text : []));
  return [{ raw: { log: textsOf('log'), data: textsOf('data') } }];
}
