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
  /** When what was sent has been taken by the client, or the stream has ended. */
  drained(): Promise<void>;
  /** Ends the stream; further events are dropped. */
  end(): void;
  /** Aborted when the stream has ended, by whichever side. */
  readonly signal: AbortSignal;
  /** By how much it is to look more seldom: 1, and more where its project has many streams open. */
  pace(): number;
}

/** Whose a stream is. */
export type StreamHolder = Pick<Principal, 'organizationUid' | 'projectUid' | 'serviceId'>;

/**
 * Open event streams of this server: they are bounded, beat, and end with it. A caller and a project have a part of
 * them each; when all are taken, the organization that has most gives its oldest one away to a newcomer.
 */
export interface Streams {
  /**
   * Answers with an event stream. `follow` subscribes and sends; what it returns is called at the end.
   *
   * @throws Problem `too-many-requests` when too many streams are open
   */
  open(options: {
    holder: StreamHolder;
    signal: AbortSignal;
    /** Checked with every beat; when it fails the stream ends. */
    stillAllowed: () => Promise<void>;
    follow: (writer: EventWriter) => () => void;
  }): Answer;
  /** How many are open. */
  readonly size: number;
  /** Ends all, and refuses new ones. */
  close(): void;
}

/** Options of {@link createStreams}. */
export interface StreamsOptions {
  /** Milliseconds between beats, which keep proxies from closing the connection. Default 15,000. */
  readonly heartbeat?: number;
  /** Default 1,000: a project has a quarter of them, a caller a tenth. */
  readonly maximum?: number;
}

/** Bytes that may wait for a slow reader before its stream is ended. */
const maxBacklog = 1_048_576;
/** Streams of a project that may look as often as they like. */
const unhurried = 8;

/** Makes an empty set of streams. */
export function createStreams({ heartbeat = 15_000, maximum = 1_000 }: StreamsOptions = {}): Streams {
  const open = createFairShares<() => void>();
  const perProject = Math.ceil(maximum / 4);
  const perCaller = Math.ceil(maximum / 10);
  let closed = false;

  function makeRoom(caller: Holder, project: Holder): void {
    if (closed) throw tooMany('Too many event streams are open');
    if (open.count(caller) >= perCaller)
      throw tooMany(`This caller has ${perCaller} event streams open already`);
    if (open.count(project) >= perProject) {
      throw tooMany(`This project has ${perProject} event streams open already`);
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
      for (let end = open.takeTurn(); end !== undefined; end = open.takeTurn()) end();
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
  /** Counts the stream by the way to end it; returns the way to count it no more. */
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
  /** Whether the reader took everything since the last beat. */
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
          // Opened and not read: what waits would wait for ever.
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
            // The reader cancelled before: there is nothing left to close.
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
            // Reading SQLite never leaves the queue of microtasks: others have their turn.
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
