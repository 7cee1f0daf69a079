import { send } from './client.ts';

/** A requested event stream. */
interface Opening {
  readonly answer: Promise<Response>;
  readonly stop: () => void;
}

/** Requests the events of the chosen project after an event id, or from now on. */
export function openStream(place: string): Opening {
  const stop = new AbortController();
  const last: Record<string, string> = place === '' ? {} : { 'Last-Event-ID': place };
  return {
    answer: send('GET', '/v1/events', { signal: stop.signal, isAhead: true }, last),
    stop: () => stop.abort(),
  };
}

let early: (Opening & { readonly project: string }) | undefined;

/** Opens the event stream of the chosen project before a page subscribes to it. */
export function openAhead(project: string): void {
  early = { project, ...openStream('') };
  // `takeStream` returns the promise, so its caller handles the error.
  early.answer.catch(() => {});
}

/**
 * Returns the stream that was opened early. It is returned only once; undefined if none was opened for this
 * project.
 */
export function takeStream(project: string): Opening | undefined {
  const taken = early;
  early = undefined;
  if (taken?.project === project) return taken;
  taken?.stop();
  return undefined;
}
