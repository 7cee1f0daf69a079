import { setImmediate } from 'node:timers/promises';
import type { Principal } from '@ledger-ops/auth';
import { createFairShares, type Holder, Problem } from '@ledger-ops/base';
import type { Answer } from './answer.ts';

/** One server-sent event. */
export interface StreamEvent {
  /** Id of the event, which a client sends back as Last-Event-ID. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** The writing end of one stream. */
export interface EventWriter {
  send(event: StreamEvent): void;
  /** Resolves when the client has read all sent events, or the stream has ended. */
  drained(): Promise<void>;
  /** Ends the stream; further events are dropped. */
  end(): void;
  /** Aborted when either side ends the stream. */
  readonly signal: AbortSignal;
  /** Factor for the interval between checks: 1, or more if the stream's project has many open streams. */
  pace(): number;
}

/** The caller of a stream, for the limits on open streams. */
export type StreamHolder = Pick<Principal, 'organizationUid' | 'projectUid' | 'serviceId'>;

/**
 * The open event streams of this server. They send heartbeats, and end when the server stops. Their number is
 * limited in total, per caller and per project. If the total limit is reached, a new stream replaces the
 * oldest one of the organization with the most streams.
 */
export interface Streams {
  /**
   * Responds with an event stream. `follow` subscribes and sends; the function that it returns is called when the stream ends.
   *
   * @throws Problem `too-many-requests` if too many streams are open
   */
  open(options: {
    holder: StreamHolder;
    signal: AbortSignal;
    /** Called with every heartbeat; if it fails, the stream ends. */
    stillAllowed: () => Promise<void>;
    follow: (writer: EventWriter) => () => void;
  }): Answer;
  /** Number of open streams. */
  readonly size: number;
  /** Ends all streams and rejects new ones. */
  close(): void;
}

export interface StreamsOptions {
  /** Milliseconds between heartbeats, which keep proxies from closing the connection. Default 15,000. */
  readonly heartbeat?: number;
  /** Maximum open streams. Default 1,000; a project gets a quarter of them, a caller a tenth. */
  readonly maximum?: number;
}

/** Maximum number of bytes that are buffered for a slow reader. If more are buffered, its stream ends. */
const maxBacklog = 1_048_576;
/** Number of open streams of a project above which the intervals between checks are extended. */
const unhurried = 8;

export function createStreams({ heartbeat = 15_000, maximum = 1_000 }: StreamsOptions = {}): Streams {
  const open = createFairShares<() => void>();
  const perProject = Math.ceil(maximum / 4);
  const perCaller = Math.ceil(maximum / 10);
  let closed = false;

  function makeRoom(caller: Holder, project: Holder): void {
    if (closed) throw tooMany('Too many event streams are open');
    if (open.count(caller) >= perCaller)
      throw tooMany(`This caller already has ${perCaller} event streams open`);
    if (open.count(project) >= perProject) {
      throw tooMany(`This project already has ${perProject} event streams open`);
    }
    if (open.size < maximum) return;
    const end = open.takeForNewcomer(caller, 'oldest');
    if (end === undefined) throw tooMany('Too many event streams are open');
    end();
  }

  return {
    get size() {
      return open.size;
    },
    open({ holder, signal, stillAllowed, follow }) {
      const project = [holder.organizationUid, holder.projectUid];
      const caller = [...project, holder.serviceId];
      makeRoom(caller, project);
      const pace = () => Math.ceil(open.count(project) / unhurried);
      const added = (end: () => void) => open.add(caller, end);
      return {
        status: 200,
        raw: openStream({ signal, stillAllowed, follow, heartbeat, added, pace }),
        headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      };
    },
    close() {
      closed = true;
      for (let next = open.takeTurn(); next !== undefined; next = open.takeTurn()) next.item();
    },
  };
}

function tooMany(why: string): Problem {
  return new Problem('too-many-requests', `${why}; try again later.`, { retryAfter: 5 });
}

interface StreamParts {
  signal: AbortSignal;
  stillAllowed: () => Promise<void>;
  follow: (writer: EventWriter) => () => void;
  heartbeat: number;
  /** Registers the stream with the function that ends it; returns the function that unregisters it. */
  added: (end: () => void) => () => void;
  pace: () => number;
}

function openStream({
  signal,
  stillAllowed,
  follow,
  heartbeat,
  added,
  pace,
}: StreamParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const over = new AbortController();
  let end: () => void = () => {};
  /** Whether the client has read everything since the last heartbeat. */
  let wasRead = true;
  let read = Promise.withResolvers<void>();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let unsubscribe: () => void = () => {};
        const write = (text: string) => {
          if (over.signal.aborted) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < -maxBacklog) end();
        };
        const beat = setInterval(() => {
          // The client does not read, so discard the buffered events.
          if (!wasRead && (controller.desiredSize ?? 0) < 0) return end();
          wasRead = false;
          write(': beat\n\n');
          stillAllowed().catch(() => end());
        }, heartbeat);
        end = () => {
          if (over.signal.aborted) return;
          over.abort();
          read.resolve();
          clearInterval(beat);
          remove();
          signal.removeEventListener('abort', end);
          unsubscribe();
          try {
            controller.close();
          } catch {
            // The reader canceled first; there is nothing to close.
          }
        };
        const remove = added(end);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
        write('retry: 2000\n\n');
        unsubscribe = follow({
          send: ({ id, event, data }) =>
            write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          drained: async () => {
            // Yields, because reads of SQLite never leave the microtask queue.
            await setImmediate();
            if (!over.signal.aborted && (controller.desiredSize ?? 0) < 0) await read.promise;
          },
          end: () => end(),
          signal: over.signal,
          pace,
        });
        if (over.signal.aborted) unsubscribe();
      },
      pull() {
        wasRead = true;
        if (over.signal.aborted) return;
        read.resolve();
        read = Promise.withResolvers();
      },
      cancel() {
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
