import { common } from '@hyperledger/fabric-protos';
import {
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
  isJsonObject,
  type JsonObject,
} from '@ledger-ops/adapter';
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

/** Reads events of chaincode, for one session. */
export interface EventReader {
  /** @throws PeerError */
  read(request: ContractEventsRequest): Promise<ContractEvents>;
}

/** A block's events, of all chaincodes. */
interface BlockEvents extends Pick<BlockByNumber, 'number' | 'hash' | 'previousHash'> {
  events: (TransactionContent & { event: NonNullable<TransactionContent['event']> })[];
}

/** Blocks that are read for one page. */
const blocksInPage = 20;
/** Blocks whose events are remembered: several contracts stand in one. */
const remembered = 100;

/**
 * Blocks are asked for by their numbers: the stream of a gateway's events does not tell how far it has come where nothing
 * happens. Each block names the one before by its hash, so that a channel that was made anew is seen.
 */
export function createEventReader({ qscc }: { qscc: Pick<Qscc, 'height' | 'blockAt'> }): EventReader {
  const known = new QuickLRU<string, Promise<BlockEvents>>({ maxSize: remembered });

  function eventsOf(channel: string, number: number): Promise<BlockEvents> {
    const key = blockName(channel, number);
    const before = known.get(key);
    if (before !== undefined) return before;
    const reading = qscc.blockAt(channel, number).then(({ transactions, ...block }) => ({
      ...block,
      events: transactions.flatMap((one) => eventOf(one) ?? []),
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
          events.push(describe(content, channel, height));
        }
        expected = hash;
        reached = { height, hash };
      }
      return { events, after: reached, newest, more: last < newest };
    },
  };
}

/** Undefined where the transaction is invalid, is none of chaincode, or told nothing. */
function eventOf({ code, envelope }: TransactionInBlock): BlockEvents['events'][number] | undefined {
  if (!isValid(code)) return undefined;
  try {
    const content = readContent(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
    return content.event === undefined ? undefined : { ...content, event: content.event };
  } catch {
    return undefined;
  }
}

/** A transaction tells one event at most. */
function describe(
  { txId, event: { name, payload } }: BlockEvents['events'][number],
  channel: string,
  height: number,
): ContractEvent {
  const args = argsOf(payload);
  return {
    ...{ id: `${blockName(channel, height)}/${txId}`, height, blockHash: blockName(channel, height), txId },
    ...(name === '' ? {} : { name }),
    ...(args === undefined ? {} : { args }),
    raw: { payload: Buffer.from(payload).toString('base64') },
  };
}

/** The payload: an object of JSON as it is, all else that is text as `payload`. */
function argsOf(payload: Uint8Array): JsonObject | undefined {
  const text = textOf(payload);
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : { payload: text };
  } catch {
    return { payload: text };
  }
}
