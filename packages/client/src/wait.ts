import { type EventFilter, isFinal, readStream } from './events.ts';
import { ProblemError } from './problem.ts';
import type { components } from './schema.generated.ts';
import { pause, type Timing } from './timing.ts';
import { answer, type Transport } from './transport.ts';

export type Action = components['schemas']['Action'];

/** An action has FAILED, for good; its message is the reason. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError';
  readonly action: Action;
  /** Why. */
  readonly problem: ProblemError | undefined;
  constructor(action: Action) {
    const problem = action.problem === undefined ? undefined : new ProblemError(action.problem);
    super(problem?.message ?? `The action ${action.actionId} has failed.`);
    this.action = action;
    this.problem = problem;
  }
}

/** Waits for ends of actions: all of a client by one stream. */
export type WaitFor = (actionId: string, signal?: AbortSignal) => Promise<Action>;

interface Waiting {
  ended(action: Action): void;
  failed(error: unknown): void;
}

const ends: EventFilter = { types: ['action.succeeded', 'action.failed', 'action.cancelled'] };
/** Actions that are asked for at once. */
const batch = 100;

export function createWaitFor(transport: Transport, timing: Timing): WaitFor {
  const waiting = new Map<string, Set<Waiting>>();
  let stop: AbortController | undefined;
  let isStreaming = false;

  const settle = (actionId: string, act: (one: Waiting) => void) => {
    for (const one of waiting.get(actionId) ?? []) act(one);
    forget(actionId);
  };
  const forget = (actionId: string) => {
    waiting.delete(actionId);
    if (waiting.size > 0) return;
    stop?.abort();
    stop = undefined;
  };

  async function lookAt(ids: readonly string[]): Promise<void> {
    const actions = await answer(
      transport.http.POST('/v1/ledger-ops/search/actions', { body: { actionIds: [...ids] } }),
    );
    for (const action of actions) {
      if (action.status !== 'PENDING') settle(action.actionId, (one) => one.ended(action));
    }
    const found = new Set(actions.map(({ actionId }) => actionId));
    for (const actionId of ids.filter((id) => !found.has(id))) {
      const detail = `There is no action ${actionId} that you may see.`;
      const type = 'urn:ledger-ops:problem:not-found';
      settle(actionId, (one) =>
        one.failed(new ProblemError({ type, title: 'Not found', status: 404, detail })),
      );
    }
  }

  /** Goes on waiting after a failure that a later look may not have. */
  async function look(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += batch) {
      const some = ids.slice(from, from + batch);
      try {
        await lookAt(some);
      } catch (error) {
        if (!isRepairable(error)) for (const id of some) settle(id, (one) => one.failed(error));
      }
    }
  }

  const lookAtAll = () => look([...waiting.keys()]);

  const heard = new Set<string>();
  let isLooking = false;
  /** Actions that are heard of while the service answers are asked for together, and the stream is read on. */
  const hear = (actionId: string) => {
    heard.add(actionId);
    if (!isLooking) void lookAtHeard();
  };
  async function lookAtHeard(): Promise<void> {
    isLooking = true;
    while (heard.size > 0) {
      const ids = [...heard].filter((id) => waiting.has(id));
      heard.clear();
      await look(ids);
    }
    isLooking = false;
  }

  async function poll(signal: AbortSignal): Promise<void> {
    let wait = timing.look[0];
    while (!signal.aborted) {
      await pause(isStreaming ? timing.lookBesideStream : wait, signal).catch(() => {});
      if (signal.aborted) return;
      await lookAtAll();
      wait = Math.min(wait * 1.5, timing.look[1]);
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const opened = () => {
          isStreaming = true;
          failures = 0;
          // Nobody tells of ends before it was open.
          void lookAtAll();
        };
        for await (const { event } of readStream(transport, ends, {
          signal,
          silence: timing.silence,
          opened,
        })) {
          if (event.type === 'contract.event') continue;
          const { actionId } = event.data;
          if (waiting.has(actionId)) hear(actionId);
        }
      } catch (error) {
        // Whoever may not follow looks.
        if (isFinal(error)) return;
      } finally {
        isStreaming = false;
      }
      await pause(Math.min(timing.again * 2 ** failures, timing.look[1]), signal).catch(() => {});
    }
  }

  return async (actionId, signal) => {
    signal?.throwIfAborted();
    return await new Promise<Action>((resolve, reject) => {
      const done = (act: () => void) => {
        signal?.removeEventListener('abort', onAbort);
        act();
      };
      const one: Waiting = {
        ended: (action) =>
          done(() =>
            action.status === 'SUCCEEDED' ? resolve(action) : reject(new ActionFailedError(action)),
          ),
        failed: (error) => done(() => reject(error)),
      };
      const onAbort = () => {
        const others = waiting.get(actionId);
        others?.delete(one);
        if (others?.size === 0) forget(actionId);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const known = waiting.get(actionId);
      if (known === undefined) waiting.set(actionId, new Set([one]));
      else known.add(one);
      if (stop === undefined) {
        stop = new AbortController();
        void poll(stop.signal);
        void follow(stop.signal);
      } else if (isStreaming) hear(actionId);
    });
  };
}

/** Whether the same question may be answered later. */
function isRepairable(error: unknown): boolean {
  if (error instanceof ProblemError) return !isFinal(error);
  // Of fetch: there was no answer.
  return error instanceof TypeError || error instanceof DOMException;
}
