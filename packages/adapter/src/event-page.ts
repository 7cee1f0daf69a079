import type { ContractEvents, ContractEventsRequest, EventPosition } from './contract/events.ts';

/** In place of the index of a position that is behind all of its block. */
const wholeBlock = Number.MAX_SAFE_INTEGER;

/**
 * For hosts that do not trust who answered `contractEvents`: names a fault that the request and the page show by
 * themselves; undefined: they show none.
 */
export function faultOfEvents(
  { after: before, limit }: Pick<ContractEventsRequest, 'after' | 'limit'>,
  { events, after, newest, more, lost }: ContractEvents,
): string | undefined {
  if (events.length > limit) return `${events.length} events, where ${limit} were asked for`;
  if (events.length > 0 && (before === null || lost === true))
    return 'events, where only a place was to be told';
  const moved = before === null ? 0 : distance(before, after);
  if (moved < 0 || (more && moved === 0)) return 'a position that does not move on';
  if ((before === null || moved > 0) && after.height > newest) {
    return `block ${after.height} as reached, where the newest at depth is ${newest}`;
  }
  const seen = new Set<string>();
  let last = before === null || before.index !== undefined ? (before?.height ?? 0) : before.height + 1;
  for (const { id, height } of events) {
    if (seen.has(id)) return 'one event twice';
    if (height < last || height > after.height) return 'events out of their order';
    seen.add(id);
    last = height;
  }
  return undefined;
}

/** More than 0 where the second is behind the first. */
function distance(first: EventPosition, second: EventPosition): number {
  return second.height - first.height || (second.index ?? wholeBlock) - (first.index ?? wholeBlock);
}
