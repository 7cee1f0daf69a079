import { StoreError } from './errors.ts';
import type { StoreLogger } from './logger.ts';

/**
 * Maximum size of topic and payload together, in UTF-8 bytes: PostgreSQL limits the payload of a notification to 8,000.
 */
export const maxNotificationBytes = 7_900;

/** The listeners in this process. */
export interface Listeners {
  add(topic: string, listener: (payload: string) => void): () => void;
  emit(topic: string, payload: string): void;
}

/**
 * Creates an empty set of listeners. An error thrown by one listener is logged and does not affect the others.
 */
export function createListeners(logger: StoreLogger): Listeners {
  const topics = new Map<string, Set<(payload: string) => void>>();
  return {
    add(topic, listener) {
      const entry = (payload: string) => listener(payload);
      const entries = topics.get(topic) ?? new Set();
      topics.set(topic, entries);
      entries.add(entry);
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && topics.get(topic) === entries) topics.delete(topic);
      };
    },
    emit(topic, payload) {
      for (const listener of [...(topics.get(topic) ?? [])]) {
        try {
          listener(payload);
        } catch (error) {
          logger.error(
            { topic, error: error instanceof Error ? error.message : 'unknown' },
            'a listener failed',
          );
        }
      }
    },
  };
}

/** Rejects notifications that PostgreSQL could not send, in both dialects. */
export function checkNotification(topic: string, payload: string): void {
  if (/[\n\0]/.test(topic) || payload.includes('\0')) {
    throw new StoreError(
      'misuse',
      'A topic must be a single line, and neither topic nor payload may contain NUL characters.',
    );
  }
  const bytes = Buffer.byteLength(topic) + Buffer.byteLength(payload);
  if (bytes > maxNotificationBytes) {
    throw new StoreError(
      'misuse',
      `A notification on "${topic.slice(0, 80)}" has ${bytes} bytes, but at most ${maxNotificationBytes} are allowed. Send an id and let the listener read the row.`,
    );
  }
}
