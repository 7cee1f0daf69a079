import { hash } from 'node:crypto';

export interface Traced {
  readonly id: string;
  /** The W3C trace context in which the action was accepted; null if it is derived from the action's id. */
  readonly trace: string | null;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Normalizes a `traceparent` header to version 00 of W3C Trace Context. Returns undefined if the header is absent or
 * invalid. Only the flag `sampled` is kept, because the others are unknown.
 */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, traceId, parentId, flags = '', more] = form.exec(header ?? '') ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return `00-${traceId}-${parentId}-0${Number.parseInt(flags, 16) & 1}`;
}

/** Returns the trace context of an action, which is the same on every server and after restarts. */
export function traceparentOf({ id, trace }: Traced): string {
  if (trace !== null) return trace;
  const hex = hash('sha256', `trace of action ${id}`, 'hex');
  // The flag `sampled` is not set, because nobody decided about sampling.
  return `00-${hex.slice(0, 32)}-${hex.slice(32, 48)}-00`;
}

/** Returns the trace id of an action, as shown in trace collectors. */
export function traceIdOf(action: Traced): string {
  return traceparentOf(action).split('-')[1] ?? '';
}
