import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isSignedIn } from '../session/session.ts';
import { ApiProblem, send } from './client.ts';
import { queries } from './queries.ts';
import type { Schemas } from './types.ts';

export type ActionEvent = Schemas['ActionEvent'];

type Listener = (event: ActionEvent) => void;
const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let connected = false;

/** Calls back for each event of the project's actions. */
export function useEvents(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear: Listener = (event) => latest.current(event);
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
    };
  }, []);
}

/** Whether the stream is open. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connected,
  );
}

/** Keeps one stream of a project open for the tab, and begins where it was interrupted. For the frame of the pages. */
export function useEventStream(project: string | undefined): void {
  useEffect(() => {
    if (project === undefined) return;
    const stop = new AbortController();
    void follow(stop.signal);
    return () => stop.abort();
  }, [project]);
}

async function follow(signal: AbortSignal): Promise<void> {
  let place = '';
  let failures = 0;
  while (!signal.aborted && isSignedIn()) {
    try {
      const last: Record<string, string> = place === '' ? {} : { 'Last-Event-ID': place };
      const response = await send('GET', '/v1/events', { signal }, last);
      failures = 0;
      const events = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      setConnected(true);
      // Nobody tells of changes between what is shown and the beginning of this stream.
      if (place === '') void queries.invalidateQueries({ queryKey: ['actions'] });
      for await (const { id, data } of events ?? []) {
        place = id ?? place;
        const event: ActionEvent | Schemas['ContractEvent'] = JSON.parse(data);
        if (event.type === 'contract.event') continue;
        for (const listener of listeners) listener(event);
      }
    } catch (error) {
      // Too old to go on from: what is shown is asked for anew anyhow.
      if (error instanceof ApiProblem && error.problem.status === 410) place = '';
      failures += 1;
    }
    setConnected(false);
    await pause(Math.min(30_000, 500 * 2 ** failures), signal);
  }
}

function setConnected(value: boolean): void {
  connected = value;
  for (const watcher of watchers) watcher();
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
