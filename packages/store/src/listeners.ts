import { StoreError } from './errors.ts';
import type { StoreLogger } from './logger.ts';

/** Largest topic and payload together, in bytes of UTF-8: PostgreSQL takes 8,000 per notification. */
export const maxNotificationBytes = 7_900;

/** Listeners of this process. */
export interface Listeners {
  add(topic: string, listener: (payload: string) => void): () => void;
  emit(topic: string, payload: string): void;
}

/** Creates an empty set of listeners; what a listener throws is logged and reaches nobody else. */
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

/** Refuses what PostgreSQL could not carry, in both dialects alike. */
export function checkNotification(topic: string, payload: string): void {
  if (/[\n\0]/.test(topic) || payload.includes('\0')) {
    throw new StoreError('misuse', 'A topic is one line, and neither it nor a payload may hold a NUL.');
  }
  const bytes = Buffer.byteLength(topic) + Buffer.byteLength(payload);
  if (bytes > maxNotificationBytes) {
    throw new StoreError(
      'misuse',
      `A notification on "${topic.slice(0, 80)}" has ${bytes} bytes, at most ${maxNotificationBytes} fit: send an id and let the listener read the row.`,
    );
  }
}
