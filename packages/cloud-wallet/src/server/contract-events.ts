import { adapterError, type ContractEvents, type EventPosition } from '@ledger-ops/adapter';
import { protocolLimits, type readEventsMessage, withinBounds } from '@ledger-ops/adapter/cloud-wallet';
import { scanJson } from '@ledger-ops/glo-core';
import type { z } from 'zod';
import type { ServedLedger } from './served-ledger.ts';

/** Of an answer; the rest is for what stands around the events. */
const mostBytes = protocolLimits.answerBytes - 1_048_576;

/** Whether hosts read it: neither too long, nor of too many values. */
function isReadable(page: ContractEvents): boolean {
  const text = JSON.stringify(page);
  if (Buffer.byteLength(text) > mostBytes) return false;
  try {
    scanJson(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A page of events as the protocol has it. Places name the chain too, by its first block: the host has no other word of
 * a chain behind a URL, and one that begins anew would be read on as if nothing had happened once it is long enough.
 */
export async function readServedEvents(
  { session, config }: Pick<ServedLedger, 'session' | 'config'>,
  {
    contractAddress: address,
    contractInterface,
    after,
    limit,
  }: Omit<z.infer<typeof readEventsMessage>, 'ledgerId'>,
): Promise<ContractEvents> {
  const { genesis } = await session.chain();
  const place = after?.hash === undefined ? undefined : readPlace(after.hash);
  if (after !== null && place !== undefined && place.genesis !== genesis) {
    const { genesis: sure, unsure } = await session.chain({ everyNode: true });
    if (unsure !== undefined || sure === place.genesis) {
      const detail = `A node of the ledger ${config.ledgerId} shows another first block than the one of the chain that was read, and not every node does: ${unsure ?? 'others still have it.'}`;
      throw adapterError('unavailable', detail, { phase: 'lookup' });
    }
    return { events: [], after, newest: after.height, more: false, lost: true };
  }
  const request = {
    contract: { address, ...(contractInterface === undefined ? {} : { interface: contractInterface }) },
    after: after === null ? null : positionWith(after, place?.hash),
  };
  const read = async (most: number): Promise<ContractEvents> => {
    const page = await session.contractEvents?.({ ...request, limit: most });
    if (page === undefined) throw new TypeError('The adapter declares contractEvents, and does not have it.');
    const told = {
      ...page,
      events: page.events.map(withinBounds),
      after:
        page.lost === true && after !== null
          ? after
          : positionWith(page.after, writePlace(genesis, page.after.hash)),
    };
    if (isReadable(told)) return told;
    if (told.events.length > 1) return await read(Math.floor(told.events.length / 2));
    return { ...told, events: told.events.map(({ args: _, ...event }) => ({ ...event, raw: {} })) };
  };
  return await read(limit);
}

function positionWith({ height, index }: EventPosition, hash: string | undefined): EventPosition {
  return { height, ...(hash === undefined ? {} : { hash }), ...(index === undefined ? {} : { index }) };
}

/** A first block's name has no spaces. */
function writePlace(genesis: string, hash: string | undefined): string {
  return `${genesis} ${hash ?? ''}`;
}

function readPlace(place: string): { genesis: string; hash?: string } {
  const end = place.indexOf(' ');
  const hash = place.slice(end + 1);
  return { genesis: place.slice(0, Math.max(0, end)), ...(hash === '' ? {} : { hash }) };
}
