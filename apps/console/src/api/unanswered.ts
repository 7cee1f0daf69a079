import { chosenProject } from '../session/project.ts';

/** A send request without a response: it may have been accepted. */
export interface UnansweredSend {
  /** The Idempotency-Key that a retry uses. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const prefix = 'ledger-ops.unanswered.';
/** Used if the browser refuses to store anything for the tab. */
const inMemory = new Map<string, UnansweredSend>();

/**
 * Returns the key under which a send is stored. It is a hash, so the tab's storage contains no data of the
 * operation.
 */
export async function nameOfSend(content: object): Promise<string> {
  const text = JSON.stringify([chosenProject(), content]);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the unanswered send with this content in this tab. Unreadable entries are ignored. */
export function unansweredSend(name: string): UnansweredSend | null {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null');
    if (isUnanswered(read)) return read;
  } catch {
    // The browser refuses access, or the entry is not JSON.
  }
  return inMemory.get(name) ?? null;
}

/** Keeps a send until it gets a response, even if the page is reloaded. */
export function keepUnanswered(name: string, send: UnansweredSend): void {
  inMemory.set(name, send);
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(send));
  } catch {
    // If the browser refuses, the send is only in memory, and a reload loses it.
  }
}

export function forgetUnanswered(name: string): void {
  inMemory.delete(name);
  try {
    sessionStorage.removeItem(prefix + name);
  } catch {
    // The send was not in the browser's storage.
  }
}

function isUnanswered(value: unknown): value is UnansweredSend {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    typeof value.key === 'string' &&
    'since' in value &&
    typeof value.since === 'number'
  );
}
