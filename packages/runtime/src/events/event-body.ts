import { blockTimeOf } from '../block-time.ts';
import type { ActionEvent, ServiceEvent, ToldEvent } from './types.ts';

/** The parts of an event that its receivers get. */
export type EventContent =
  | Pick<ActionEvent, 'id' | 'type' | 'at' | 'data'>
  | Pick<ToldEvent, 'id' | 'type' | 'at' | 'data'>;

const iso = (at: number) => new Date(at).toISOString();

/** Returns the event in the form that receivers get. */
export function eventBody(event: EventContent) {
  const { id, at } = event;
  const timestamp = iso(at);
  if (event.type === 'contract.event') {
    const { type, data } = event;
    const blockTime = blockTimeOf(data.blockTime);
    return {
      id,
      type,
      timestamp,
      data: { ...data, blockTime: blockTime === null ? null : iso(blockTime) },
    };
  }
  const { type, data } = event;
  return { id, type, timestamp, data: { ...data, createdAt: iso(data.createdAt) } };
}

/** Returns the event in the JSON form of CloudEvents 1.0. @param source the service's public address */
export function cloudEventBody(event: EventContent, source: string) {
  const { id, type, timestamp, data } = eventBody(event);
  return {
    specversion: '1.0',
    id,
    source,
    type,
    subject: subjectOf(event),
    time: timestamp,
    datacontenttype: 'application/json',
    data,
  };
}

/** Returns the id of the action or contract that the event is about. */
function subjectOf({ data }: Pick<ServiceEvent, 'data'>): string {
  return 'actionId' in data ? data.actionId : data.contractId;
}
