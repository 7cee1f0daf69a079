import { EventSourceParserStream } from 'eventsource-parser/stream';
import { given } from './given.ts';
import { NoAnswerError } from './no-answer.ts';
import { ProblemError, unreadableProblem } from './problem.ts';
import type { components } from './schema.generated.ts';
import { anyOf, raced } from './signals.ts';
import { pause, type Timing } from './timing.ts';
import type { Transport } from './transport.ts';

export type ActionEvent = components['schemas']['ActionEvent'];
export type ContractEvent = components['schemas']['ContractEvent'];

/** Selects events. An event must match one value of each list. */
export interface EventFilter {
  readonly types?: readonly components['schemas']['EventType'][];
  /** Ids of ledgers. */
  readonly ledgers?: readonly string[];
  /** Ids of sending wallets. Contract events have none. */
  readonly wallets?: readonly string[];
}

/** An event with its position in the stream. */
export interface PlacedEvent {
  /** Pass it as `after` to continue after this event. */
  readonly place: string;
  readonly event: ActionEvent | ContractEvent;
}

export interface FollowOptions {
  /** The `place` of the last received event. Default: from now on. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** Called when the stream is open, at the start and after each reconnect. All later events will arrive. */
  readonly opened?: () => void;
}

/**
 * Reads one connection until it ends. `opened` is called when the stream is open.
 *
 * @throws ProblemError, NoAnswerError if the connection fails or is silent, or an error of `opened`
 */
export async function* readStream(
  { baseUrl, stream }: Transport,
  filter: EventFilter,
  options: { after?: string | undefined; signal: AbortSignal; silence: number; opened?: () => void },
): AsyncGenerator<PlacedEvent, void> {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(given(filter))) query.set(name, values.join(','));
  const silent = new AbortController();
  const signal = anyOf([options.signal, silent.signal]);
  const lost = (cause: unknown) =>
    new NoAnswerError({ method: 'GET', url: `${baseUrl}/v1/events`, tries: 1 }, cause);
  const restart = () =>
    setTimeout(
      () => silent.abort(lost(new Error('The event stream stopped sending data.'))),
      options.silence,
    );
  let timer = restart();
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, controller) {
      clearTimeout(timer);
      timer = restart();
      controller.enqueue(part);
    },
  });
  try {
    const headers: Record<string, string> =
      options.after === undefined ? {} : { 'Last-Event-ID': options.after };
    const response = await stream(`/v1/events?${query}`, headers, signal);
    const { body } = response;
    if (body === null) return;
    options.opened?.();
    const messages = body
      .pipeThrough(heard)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    const reader = messages.getReader();
    try {
      for (;;) {
        const { done, value } = await raced(reader.read(), signal).catch((error: unknown) => {
          throw error instanceof NoAnswerError ? error : lost(error);
        });
        if (done) return;
        if (value.event !== 'event') continue;
        const place = value.id ?? '';
        yield { place, event: readEvent(value.data, () => unreadableEvent(response, place)) };
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Parses an event.
 * @throws the error of `unreadable` if the data is not an event, because a SyntaxError would quote the data
 */
function readEvent(data: string, unreadable: () => Error): PlacedEvent['event'] {
  try {
    const event: unknown = JSON.parse(data);
    if (isEvent(event)) return event;
  } catch {
    // The SyntaxError is not thrown, because it quotes the data.
  }
  throw unreadable();
}

function isEvent(event: unknown): event is PlacedEvent['event'] {
  if (typeof event !== 'object' || event === null || !('type' in event) || !('data' in event)) return false;
  return typeof event.type === 'string' && typeof event.data === 'object' && event.data !== null;
}

const unreadableEvent = (response: Response, place: string) =>
  unreadableProblem(
    response,
    '',
    `a stream of events: the data of the event ${place.slice(0, 100)} is not an event`,
  );

/**
 * Yields all events from now on, or after a given event. Reconnects without a gap.
 *
 * @throws ProblemError if the service refuses, for example `event-too-old` for a position that is too old, or
 * if the response is not a stream of events; any other error that a new connection would not change, such as
 * TokenError
 */
export async function* followEvents(
  transport: Transport,
  timing: Timing,
  filter: EventFilter,
  { after, signal = new AbortController().signal, opened }: FollowOptions,
): AsyncGenerator<PlacedEvent, void> {
  let place = after;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const one of readStream(transport, filter, {
        after: place,
        signal,
        silence: timing.silence,
        ...(opened && { opened }),
      })) {
        failures = 0;
        ({ place } = one);
        yield one;
      }
      // The stream ends when its access token expires.
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
      failures += 1;
    }
    await pause(Math.min(timing.again * 2 ** failures, timing.look[1]), signal).catch(() => {});
  }
}

const temporaryStatuses = new Set([408, 429]);

/** Whether the same request may succeed later: the network, a proxy or the service failed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status >= 500 || temporaryStatuses.has(error.status);
  return error instanceof NoAnswerError;
}
