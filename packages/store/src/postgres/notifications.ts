import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '@ledger-ops/base/backoff';
import type pg from 'pg';
import type { Listeners } from '../listeners.ts';
import type { StoreLogger } from '../logger.ts';
import type { Timing } from '../timing.ts';
import type { Target } from './connection.ts';
import { type Connections, connectToPrimary } from './connections.ts';
import { fromPostgresError } from './errors.ts';

/** All topics share one channel. The lines of a message are its sender, its topic and its payload. */
const channel = 'ledger_ops';

/** Notifications between the servers that share a database. */
export interface Notifications {
  /** Resolves once this server listens. */
  start(): Promise<void>;
  /** Sends a notification soon, together with others. Duplicates are sent only once. */
  send(topic: string, payload: string): void;
  close(): Promise<void>;
}

/**
 * Listens on a separate connection, which is opened again when it breaks. Notifications that are sent in the meantime
 * are lost. This does no harm, because they only wake listeners, which then read the rows.
 */
export function createNotifications(
  connections: Pick<Connections, 'query'>,
  target: Target,
  listeners: Listeners,
  logger: StoreLogger,
  timing: Timing,
): Notifications {
  const origin = randomBytes(6).toString('hex');
  const ended = new AbortController();
  let client: pg.Client | undefined;
  let listening: Promise<void> | undefined;
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;

  /** Opens a connection, and resolves with it when it listens. */
  const connect = async () => {
    const next = await connectToPrimary(target, { query_timeout: timing.listen, admission: 'server' }).catch(
      (error: unknown) => {
        throw fromPostgresError(error, 'connect');
      },
    );
    const broken = new Promise<void>((resolve) => {
      next.on('error', () => resolve());
      next.on('end', () => resolve());
    });
    next.on('notification', (message) => {
      const [sender, topic, ...payload] = (message.payload ?? '').split('\n');
      if (sender !== origin && topic !== undefined) listeners.emit(topic, payload.join('\n'));
    });
    client = next;
    try {
      await next.query(`listen ${channel}`);
    } catch (error) {
      await next.end().catch(() => undefined);
      throw fromPostgresError(error, `listen ${channel}`);
    }
    return { broken };
  };

  const keepListening = async (first: Promise<void>) => {
    let broken = first;
    let logged: string | undefined;
    for (let failures = 0; !ended.signal.aborted; ) {
      await broken;
      if (ended.signal.aborted) return;
      await client?.end().catch(() => undefined);
      await delay(Math.random() * backoff(failures + 1, timing.listenAgain), undefined, {
        signal: ended.signal,
      }).catch(() => undefined);
      if (ended.signal.aborted) return;
      try {
        ({ broken } = await connect());
        failures = 0;
        logged = undefined;
      } catch (error) {
        failures += 1;
        broken = Promise.resolve();
        const reason = error instanceof Error ? error.message : 'unknown';
        // The store tries to connect every few seconds, so each reason is logged only once.
        if (reason !== logged)
          logger.warn({ error: reason }, 'the connection that listens for notifications is down');
        logged = reason;
      }
    }
  };

  const flush = async () => {
    while (waiting.size > 0) {
      const messages = [...waiting];
      waiting = new Set();
      try {
        await connections.query({
          text: 'select pg_notify($1, message) from unnest($2::text[]) as message',
          values: [channel, messages],
          name: 'notify',
        });
      } catch (error) {
        const { message } = fromPostgresError(error, 'select pg_notify');
        logger.warn({ error: message }, 'a notification could not be sent');
      }
    }
    sending = undefined;
  };

  return {
    async start() {
      const { broken } = await connect();
      listening = keepListening(broken);
    },
    send(topic, payload) {
      if (ended.signal.aborted) return;
      waiting.add(`${origin}\n${topic}\n${payload}`);
      // Sending is deferred to a microtask, so that notifications that are requested together share one statement.
      sending ??= Promise.resolve().then(flush);
    },
    async close() {
      ended.abort();
      await sending;
      await client?.end().catch(() => undefined);
      await listening;
    },
  };
}
