import { common } from '@hyperledger/fabric-protos';
import {
  adapterError,
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
  type EventPosition,
  isJsonObject,
  type JsonObject,
  longestContent,
  withoutLongContent,
} from '@ledger-ops/adapter';
import { slices } from '@ledger-ops/glo-core';
import QuickLRU from 'quick-lru';
import { blockName } from './blocks/cursor.ts';
import { isValid } from './blocks/validation-code.ts';
import { textOf } from './gateway/payload.ts';
import type { BlockByNumber, Qscc } from './gateway/qscc.ts';
import { readContent, type TransactionInBlock } from './gateway/transaction-content.ts';
import { readContractAddress } from './identity/address.ts';

/** Reads chaincode events for one session. */
export interface EventReader {
  /** @throws PeerError */
  read(request: ContractEventsRequest): Promise<ContractEvents>;
}

/** The event of a transaction. A transaction has at most one event. */
interface EventInBlock {
  txId: string;
  chaincode: string;
  name: string;
  /**
   * `too-long`: the payload is longer than hosts store. `later`: the payload was not kept; the block must be
   * read again, starting with this event.
   */
  payload: Uint8Array | 'too-long' | 'later';
}

/** An event of the requested page. */
interface FoundEvent extends EventInBlock {
  height: number;
}

/** The events of a block, of all chaincodes. */
interface BlockEvents extends Pick<BlockByNumber, 'number' | 'hash' | 'previousHash'> {
  events: EventInBlock[];
  /** Total number of bytes of the payloads, ids and names. */
  bytes: number;
}

/**
 * Maximum total size of the payloads that are kept from one block, in bytes. A block's message may have up to
 * 32 MiB.
 */
const mostKept = 524_288;
/** Maximum number of bytes of a block's events that are cached. */
const mostCached = 65_536;
/** Maximum nesting of a payload returned as JSON. */
const deepestPayload = 32;
/** Maximum number of blocks that are read for one page. */
const blocksInPage = 20;
/** Maximum number of blocks whose events are cached. Several contracts may share a block. */
const remembered = 100;

/**
 * Reads blocks by number, because a gateway's event stream does not report its position while there are no
 * events. Each block contains the hash of the previous one, so a channel that was created again is detected.
 */
export function createEventReader({ qscc }: { qscc: Pick<Qscc, 'height' | 'blockAt'> }): EventReader {
  const known = new QuickLRU<string, Promise<BlockEvents>>({ maxSize: remembered });

  /** @param first index of the first event whose payload is kept */
  async function readEvents(channel: string, number: number, first = 0): Promise<BlockEvents> {
    const { transactions, ...block } = await qscc.blockAt(channel, number);
    return { ...block, ...(await slices.run(eventsIn(transactions, first))) };
  }

  function eventsOf(channel: string, number: number): Promise<BlockEvents> {
    const key = blockName(channel, number);
    const before = known.get(key);
    if (before !== undefined) return before;
    const reading = readEvents(channel, number);
    known.set(key, reading);
    reading.then(
      ({ bytes }) => bytes > mostCached && known.delete(key),
      () => known.delete(key),
    );
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
      const found: FoundEvent[] = [];
      const page = async (reached: EventPosition, more: boolean): Promise<ContractEvents> => ({
        events: await slices.run(describeAll(found, channel)),
        ...{ after: reached, newest, more },
      });
      let expected = after.index === undefined ? after.hash : undefined;
      let reached = after;
      for (const { number: height, hash, previousHash, ...block } of blocks) {
        const isOther = height === after.height && after.hash !== undefined && after.hash !== hash;
        if (isOther || (expected !== undefined && expected !== previousHash)) {
          return { events: [], after, newest, more: false, lost: true };
        }
        let { events } = block;
        let index = 0;
        for (let place = 0; place < events.length; place += 1) {
          if (events[place]?.chaincode !== chaincode) continue;
          if (height !== after.height || index >= (after.index ?? 0)) {
            const isKept = events[place]?.payload !== 'later';
            if (found.length === limit || (!isKept && found.length > 0))
              return page({ height, hash, index }, true);
            if (!isKept) {
              const again = await readEvents(channel, height, place);
              if (again.hash !== hash)
                throw adapterError('unavailable', `The peers returned different blocks ${height}.`);
              ({ events } = again);
            }
            const event = events[place];
            if (event !== undefined) found.push({ ...event, height });
          }
          index += 1;
        }
        expected = hash;
        reached = { height, hash };
      }
      return page(reached, last < newest);
    },
  };
}

/**
 * Returns the events of a block. Keeps the payloads from the event with the index `first` on, up to `mostKept` bytes.
 */
function* eventsIn(
  transactions: readonly TransactionInBlock[],
  first: number,
): Generator<undefined, Pick<BlockEvents, 'events' | 'bytes'>> {
  const events: EventInBlock[] = [];
  let bytes = 0;
  let kept = 0;
  for (const one of transactions) {
    yield;
    const event = eventOf(one);
    if (event === undefined) continue;
    const { txId, chaincode, name, payload } = event;
    const isKept = events.length >= first && (kept === 0 || kept + payload.length <= mostKept);
    if (isKept) kept += payload.length;
    events.push(isKept ? event : { ...event, payload: 'later' });
    bytes += txId.length + chaincode.length + name.length + (isKept ? payload.length : 0);
  }
  return { events, bytes };
}

/** Returns undefined if the transaction is invalid, is not a chaincode transaction, or has no event. */
function eventOf({ code, envelope }: TransactionInBlock): EventInBlock | undefined {
  if (!isValid(code)) return undefined;
  try {
    const { txId, chaincode, event } = readContent(
      common.Envelope.deserializeBinary(envelope).getPayload_asU8(),
    );
    if (event === undefined) return undefined;
    const { name, payload } = event;
    return { txId, chaincode, name, payload: payload.length > longestContent ? 'too-long' : payload };
  } catch {
    return undefined;
  }
}

function* describeAll(found: readonly FoundEvent[], channel: string): Generator<undefined, ContractEvent[]> {
  const events: ContractEvent[] = [];
  for (const one of found) {
    yield;
    events.push(describe(one, channel));
  }
  return events;
}

function describe({ txId, name, payload, height }: FoundEvent, channel: string): ContractEvent {
  const event = {
    ...{ id: `${blockName(channel, height)}/${txId}`, height, blockHash: blockName(channel, height), txId },
    ...(name === '' ? {} : { name }),
  };
  if (typeof payload === 'string') return { ...event, raw: {}, contentOmitted: true };
  const args = argsOf(payload);
  const raw = { payload: Buffer.from(payload).toString('base64') };
  return withoutLongContent({ ...event, ...(args === undefined ? {} : { args }), raw });
}

/** Whether a value is nested deeper than the limit. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** Returns the payload as JSON: a JSON object unchanged, any other string as the member `payload`. */
function argsOf(payload: Uint8Array): JsonObject | undefined {
  const text = textOf(payload);
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) && !isDeeper(json, deepestPayload) ? json : { payload: text };
  } catch {
    return { payload: text };
  }
}
