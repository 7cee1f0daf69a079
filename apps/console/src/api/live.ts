import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { enterProject, isEntered } from '../session/project.ts';
import { isSignedIn } from '../session/session.ts';
import { ApiProblem } from './client.ts';
import { queries } from './queries.ts';
import { openStream, takeStream } from './stream.ts';
import type { Schemas } from './types.ts';

export type ActionEvent = Schemas['ActionEvent'];

type Listener = (event: ActionEvent) => void;
const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let connected = false;

/** Calls the listener for each event of the project's actions. */
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

export function useIsLive(): boolean {
  return useSyncExternalStore(watch, () => connected);
}

/** How long page requests wait for the event stream to open, in milliseconds. */
const openingTimeoutMs = 1_000;

/**
 * Keeps one event stream of the project open for the tab and resumes it after an interruption. Page requests wait until
 * the stream is open, so that each page is loaded only once: the stream reports all later changes.
 */
export function useEventStream(project: string | undefined): void {
  useEffect(() => {
    if (project === undefined) return;
    const stop = new AbortController();
    const timer = setTimeout(() => enterProject(project), openingTimeoutMs);
    void follow(project, stop.signal);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [project]);
}

async function follow(project: string, signal: AbortSignal): Promise<void> {
  let place = '';
  let failures = 0;
  let stream = takeStream(project);
  signal.addEventListener('abort', () => stream?.stop());
  while (!signal.aborted && isSignedIn()) {
    try {
      stream ??= openStream(place);
      const response = await stream.answer;
      failures = 0;
      const events = response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      setConnected(true);
      // The new stream does not report changes that happened before it was opened, so loaded actions may be outdated.
      if (place === '' && isEntered(project)) void queries.invalidateQueries({ queryKey: ['actions'] });
      enterProject(project);
      for await (const { id, data } of events ?? []) {
        place = id ?? place;
        const event: ActionEvent | Schemas['ContractEvent'] = JSON.parse(data);
        if (event.type === 'contract.event') continue;
        for (const listener of listeners) listener(event);
      }
    } catch (error) {
      // The last event id is too old to resume from. Opening a stream without an id reloads the page's data.
      if (error instanceof ApiProblem && error.problem.status === 410) place = '';
      failures += 1;
    }
    stream = undefined;
    setConnected(false);
    if (!signal.aborted) enterProject(project);
    await pause(Math.min(30_000, 500 * 2 ** failures), signal);
  }
}

function setConnected(value: boolean): void {
  connected = value;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
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
