import { setImmediate as nextTurn } from 'node:timers/promises';
import { common } from '@hyperledger/fabric-protos';
import {
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
  isJsonObject,
  type JsonObject,
} from '@ledger-ops/adapter';
import { JsonError, parseAnswer, slices } from '@ledger-ops/glo-core';
import QuickLRU from 'quick-lru';
import { blockName } from './blocks/cursor.ts';
import { isValid } from './blocks/validation-code.ts';
import { textOf } from './gateway/payload.ts';
import type { BlockByNumber, Qscc } from './gateway/qscc.ts';
import {
  readContent,
  type TransactionContent,
  type TransactionInBlock,
} from './gateway/transaction-content.ts';
import { readContractAddress } from './identity/address.ts';

/** Reads chaincode events for one session. */
export interface EventReader {
  /** @throws PeerError */
  read(request: ContractEventsRequest): Promise<ContractEvents>;
}

/** The events of a block, of all chaincodes. */
interface BlockEvents extends Pick<BlockByNumber, 'number' | 'hash' | 'previousHash'> {
  events: (TransactionContent & { event: NonNullable<TransactionContent['event']> })[];
}

/**
 * Characters above which a payload is parsed in a separate turn, and maximum nesting of a payload returned as JSON.
 */
const longPayload = 16_384;
const deepestPayload = 32;
/** Maximum blocks that are read for one page. */
const blocksInPage = 20;
/** Maximum blocks whose events are cached: several contracts may share one. */
const remembered = 100;

/**
 * Reads blocks by number, because a gateway's event stream does not report its position while nothing happens. Each
 * block contains the hash of the previous one, which reveals a channel that was created again.
 */
export function createEventReader({ qscc }: { qscc: Pick<Qscc, 'height' | 'blockAt'> }): EventReader {
  const known = new QuickLRU<string, Promise<BlockEvents>>({ maxSize: remembered });

  function eventsOf(channel: string, number: number): Promise<BlockEvents> {
    const key = blockName(channel, number);
    const before = known.get(key);
    if (before !== undefined) return before;
    const reading = qscc.blockAt(channel, number).then(async ({ transactions, ...block }) => ({
      ...block,
      events: await slices.run(eventsIn(transactions)),
    }));
    known.set(key, reading);
    reading.catch(() => known.delete(key));
    return reading;
  }

  return {
    async read({ contract, after, limit }) {
      const { channel, chaincode } = readContractAddress(contract.address, 'lookup', '/address');
      const newest = (await qscc.height(channel)) - 1;
      if (after === null) {
        const { number: height, hash } = await eventsOf(channel, newest);
        return { events: [], after: { height, hash }, newest, more: false };
      }
      const first = after.index === undefined ? after.height + 1 : after.height;
      if (first > newest) return { events: [], after, newest, more: false };
      const last = Math.min(newest, first + blocksInPage - 1);
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const blocks = await Promise.all(numbers.map((number) => eventsOf(channel, number)));
      const events: ContractEvent[] = [];
      let expected = after.index === undefined ? after.hash : undefined;
      let reached = after;
      for (const { number: height, hash, previousHash, events: told } of blocks) {
        const isOther = height === after.height && after.hash !== undefined && after.hash !== hash;
        if (isOther || (expected !== undefined && expected !== previousHash)) {
          return { events: [], after, newest, more: false, lost: true };
        }
        const own = told.filter((one) => one.chaincode === chaincode);
        for (const [index, content] of own.entries()) {
          if (height === after.height && index < (after.index ?? 0)) continue;
          if (events.length === limit) return { events, after: { height, hash, index }, newest, more: true };
          events.push(await describe(content, channel, height));
        }
        expected = hash;
        reached = { height, hash };
      }
      return { events, after: reached, newest, more: last < newest };
    },
  };
}

function* eventsIn(transactions: readonly TransactionInBlock[]): Generator<undefined, BlockEvents['events']> {
  const events: BlockEvents['events'] = [];
  for (const one of transactions) {
    const event = eventOf(one);
    if (event !== undefined) events.push(event);
    yield;
  }
  return events;
}

/** Undefined if the transaction is invalid, is not a chaincode transaction, or has no event. */
function eventOf({ code, envelope }: TransactionInBlock): BlockEvents['events'][number] | undefined {
  if (!isValid(code)) return undefined;
  try {
    const content = readContent(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
    return content.event === undefined ? undefined : { ...content, event: content.event };
  } catch {
    return undefined;
  }
}

/** A transaction has at most one event. */
async function describe(
  { txId, event: { name, payload } }: BlockEvents['events'][number],
  channel: string,
  height: number,
): Promise<ContractEvent> {
  const args = await argsOf(payload);
  return {
    ...{ id: `${blockName(channel, height)}/${txId}`, height, blockHash: blockName(channel, height), txId },
    ...(name === '' ? {} : { name }),
    ...(args === undefined ? {} : { args }),
    raw: { payload: Buffer.from(payload).toString('base64') },
  };
}

/** Whether a value is nested deeper than this. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** The payload: a JSON object unchanged, any other text as `payload`. */
async function argsOf(payload: Uint8Array): Promise<JsonObject | undefined> {
  const text = textOf(payload);
  if (text === undefined) return undefined;
  try {
    // A long payload is parsed in a separate turn, so that several of them do not block the event loop.
    if (text.length > longPayload) await nextTurn();
    const json = await parseAnswer(text, { pause: () => nextTurn() });
    return isJsonObject(json) && !isDeeper(json, deepestPayload) ? json : { payload: text };
  } catch (error) {
    if (error instanceof JsonError) return { payload: text };
    throw error;
  }
}
