import { send } from './client.ts';

/** A stream of events that was asked for. */
interface Opening {
  readonly answer: Promise<Response>;
  readonly stop: () => void;
}

/** Asks for the events of the chosen project behind a place, or from now on. */
export function openStream(place: string): Opening {
  const stop = new AbortController();
  const last: Record<string, string> = place === '' ? {} : { 'Last-Event-ID': place };
  return {
    answer: send('GET', '/v1/events', { signal: stop.signal, isAhead: true }, last),
    stop: () => stop.abort(),
  };
}

let early: (Opening & { readonly project: string }) | undefined;

/** Asks for the events of the project that is chosen, before there is a page that hears of them. */
export function openAhead(project: string): void {
  early = { project, ...openStream('') };
  // Told to who takes it.
  early.answer.catch(() => {});
}

/** That stream, once; undefined: it is another project's, or was not asked for. */
export function takeStream(project: string): Opening | undefined {
  const taken = early;
  early = undefined;
  if (taken?.project === project) return taken;
  taken?.stop();
  return undefined;
}
