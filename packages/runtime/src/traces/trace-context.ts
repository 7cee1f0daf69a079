import { createHash } from 'node:crypto';

/** Of an action, as far as its trace goes. */
export interface Traced {
  readonly id: string;
  /** The W3C trace context that it was accepted in; null: it has one of its own. */
  readonly trace: string | null;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * A `traceparent` header as this service hands it on, by version 00 of W3C Trace Context; undefined for one that is not
 * valid, which counts as absent. Of its flags only `sampled` is kept: nothing is known of the others.
 */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, traceId, parentId, flags = '', more] = form.exec(header ?? '') ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return `00-${traceId}-${parentId}-0${Number.parseInt(flags, 16) & 1}`;
}

/** The trace context of an action: the same on every server and after every restart. */
export function traceparentOf({ id, trace }: Traced): string {
  if (trace !== null) return trace;
  const hash = createHash('sha256').update(`trace of action ${id}`).digest('hex');
  // Nobody was asked whether it is to be recorded: not sampled.
  return `00-${hash.slice(0, 32)}-${hash.slice(32, 48)}-00`;
}

/** The id of the trace that an action belongs to, as collectors know it. */
export function traceIdOf(action: Traced): string {
  return traceparentOf(action).split('-')[1] ?? '';
}
