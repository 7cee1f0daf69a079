import type { ActionEvent } from './types.ts';

/** An event as receivers get it. */
export function eventBody({ id, type, at, data }: Pick<ActionEvent, 'id' | 'type' | 'at' | 'data'>) {
  return {
    id,
    type,
    timestamp: new Date(at).toISOString(),
    data: { ...data, createdAt: new Date(data.createdAt).toISOString() },
  };
}

/** The same as a CloudEvent 1.0 in JSON. @param source the service's public address */
export function cloudEventBody(event: Pick<ActionEvent, 'id' | 'type' | 'at' | 'data'>, source: string) {
  const { id, type, timestamp, data } = eventBody(event);
  return {
    specversion: '1.0',
    id,
    source,
    type,
    subject: data.actionId,
    time: timestamp,
    datacontenttype: 'application/json',
    data,
  };
}
