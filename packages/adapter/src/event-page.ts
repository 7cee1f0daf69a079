import type {
  ContractEvent,
  ContractEvents,
  ContractEventsRequest,
  EventPosition,
} from './contract/events.ts';
import { isCheapJson } from './json-cost.ts';

/**
 * Maximum number of characters of an event's content as JSON, so that webhook receivers accept it. See `isCheapJson`.
 */
export const longestContent = 65_536;

/**
 * Omits the content of an event if the content is longer than hosts store. Adapters call this function for
 * each event of a page, so that a page of long events uses little memory.
 */
export function withoutLongContent({ args, raw, ...event }: ContractEvent): ContractEvent {
  return isCheapJson({ args: args ?? null, raw }, longestContent)
    ? { ...event, ...(args === undefined ? {} : { args }), raw }
    : { ...event, raw: {}, contentOmitted: true };
}

/** Index that stands for the end of the block. */
const wholeBlock = Number.MAX_SAFE_INTEGER;

/**
 * For hosts that do not trust the plugin: compares a page of `contractEvents` with the request and returns
 * the first fault. Undefined if there is no fault.
 */
export function faultOfEvents(
  { after: before, limit }: Pick<ContractEventsRequest, 'after' | 'limit'>,
  { events, after, newest, more, lost }: ContractEvents,
): string | undefined {
  if (events.length > limit) return `${events.length} events, but at most ${limit} were requested`;
  if (events.length > 0 && (before === null || lost === true))
    return 'events, but only a position was requested';
  const moved = before === null ? 0 : distance(before, after);
  if (moved < 0 || (more && moved === 0)) return 'a position that does not advance';
  if ((before === null || moved > 0) && after.height > newest) {
    return `block ${after.height} as the position, but the newest confirmed block is ${newest}`;
  }
  const seen = new Set<string>();
  let last = before === null || before.index !== undefined ? (before?.height ?? 0) : before.height + 1;
  for (const { id, height } of events) {
    if (seen.has(id)) return 'the same event twice';
    if (height < last || height > after.height) return 'events in the wrong order';
    seen.add(id);
    last = height;
  }
  return undefined;
}

/** Positive if the second position is after the first. */
function distance(first: EventPosition, second: EventPosition): number {
  return second.height - first.height || (second.index ?? wholeBlock) - (first.index ?? wholeBlock);
}
