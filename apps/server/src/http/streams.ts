import { Problem } from '@ledger-ops/base';
import type { Answer } from './answer.ts';

/** One server-sent event. */
export interface StreamEvent {
  /** What a client sends back as Last-Event-ID. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** The writing end of one stream. */
export interface EventWriter {
  send(event: StreamEvent): void;
  /** Ends the stream; further events are dropped. */
  end(): void;
  /** Aborted when the stream has ended, by whichever side. */
  readonly signal: AbortSignal;
}

/** Open event streams of this server: they are bounded, beat, and end with it. */
export interface Streams {
  /**
   * Answers with an event stream. `follow` subscribes and sends; what it returns is called at the end.
   *
   * @throws Problem `too-many-requests` when too many streams are open
   */
  open(options: {
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
  /** Default 1,000. */
  readonly maximum?: number;
}

/** Bytes that may wait for a slow reader before its stream is ended. */
const maxBacklog = 1_048_576;

/** Makes an empty set of streams. */
export function createStreams({ heartbeat = 15_000, maximum = 1_000 }: StreamsOptions = {}): Streams {
  const enders = new Set<() => void>();
  let closed = false;
  return {
    get size() {
      return enders.size;
    },
    open({ signal, stillAllowed, follow }) {
      if (closed || enders.size >= maximum) {
        throw new Problem('too-many-requests', 'Too many event streams are open; try again later.', {
          retryAfter: 5,
        });
      }
      return {
        status: 200,
        raw: openStream({ signal, stillAllowed, follow, heartbeat, enders }),
        headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      };
    },
    close() {
      closed = true;
      for (const end of [...enders]) end();
    },
  };
}

interface StreamParts {
  signal: AbortSignal;
  stillAllowed: () => Promise<void>;
  follow: (writer: EventWriter) => () => void;
  heartbeat: number;
  enders: Set<() => void>;
}

function openStream({
  signal,
  stillAllowed,
  follow,
  heartbeat,
  enders,
}: StreamParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const over = new AbortController();
  let end: () => void = () => {};
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
          write(': beat\n\n');
          stillAllowed().catch(() => end());
        }, heartbeat);
        end = () => {
          if (over.signal.aborted) return;
          over.abort();
          clearInterval(beat);
          enders.delete(end);
          signal.removeEventListener('abort', end);
          unsubscribe();
          try {
            controller.close();
          } catch {
            // The reader cancelled before: there is nothing left to close.
          }
        };
        enders.add(end);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
        write('retry: 2000\n\n');
        unsubscribe = follow({
          send: ({ id, event, data }) =>
            write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          end: () => end(),
          signal: over.signal,
        });
        if (over.signal.aborted) unsubscribe();
      },
      cancel() {
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}
