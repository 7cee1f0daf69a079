import { type EventFilter, isTemporary, readStream } from './events.ts';
import { ProblemError, unreadableProblem } from './problem.ts';
import type { components } from './schema.generated.ts';
import { pause, type Timing } from './timing.ts';
import type { Transport } from './transport.ts';

export type Action = components['schemas']['Action'];

/** Thrown if an action has FAILED, which is final. The message contains the reason. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError';
  readonly action: Action;
  /** Why the action failed. Undefined if the service reports no reason. */
  readonly problem: ProblemError | undefined;
  constructor(action: Action) {
    const problem = action.problem === undefined ? undefined : new ProblemError(action.problem);
    super(problem?.message ?? `The action ${action.actionId} has failed.`);
    this.action = action;
    this.problem = problem;
  }
}

const statuses: ReadonlySet<unknown> = new Set([
  'PENDING',
  'SUCCEEDED',
  'FAILED',
] satisfies Action['status'][]);

/** Whether an item of a response is an action. An action with an unknown status must not be reported as failed. */
function isAction(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || !('actionId' in item && 'status' in item)) return false;
  return typeof item.actionId === 'string' && statuses.has(item.status);
}

/** Waits for actions to complete. All waits of a client share one stream. */
export type WaitFor = (actionId: string, signal?: AbortSignal) => Promise<Action>;

interface Waiting {
  ended(action: Action): void;
  failed(error: unknown): void;
}

const ends: EventFilter = { types: ['action.succeeded', 'action.failed', 'action.cancelled'] };
/** Maximum number of action ids per status request. */
const batch = 100;

export function createWaitFor(transport: Transport, timing: Timing): WaitFor {
  const waits = new Waits(transport, timing);
  return (actionId, signal) => waits.wait(actionId, signal);
}

/**
 * The waits of a client.
 *
 * While `#waiting` contains actions, `#stop` is set, the event stream is open or being opened, and statuses
 * are polled. `#heard` contains actions whose events have arrived, until a status request covers them.
 */
class Waits {
  readonly #transport: Transport;
  readonly #timing: Timing;
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #heard = new Set<string>();
  #stop: AbortController | undefined;
  #isStreaming = false;
  #isLookingAtHeard = false;

  constructor(transport: Transport, timing: Timing) {
    this.#transport = transport;
    this.#timing = timing;
  }

  async wait(actionId: string, signal: AbortSignal | undefined): Promise<Action> {
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
        const others = this.#waiting.get(actionId);
        others?.delete(one);
        if (others?.size === 0) this.#forget(actionId);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#add(actionId, one);
    });
  }

  #add(actionId: string, one: Waiting): void {
    const known = this.#waiting.get(actionId);
    if (known === undefined) this.#waiting.set(actionId, new Set([one]));
    else known.add(one);
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      void this.#poll(this.#stop.signal);
      void this.#follow(this.#stop.signal);
    } else if (this.#isStreaming) this.#hear(actionId);
  }

  #settle(actionId: string, act: (one: Waiting) => void): void {
    for (const one of this.#waiting.get(actionId) ?? []) act(one);
    this.#forget(actionId);
  }

  #forget(actionId: string): void {
    this.#waiting.delete(actionId);
    if (this.#waiting.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { look, lookBesideStream } = this.#timing;
    let wait = look[0];
    while (!signal.aborted) {
      await pause(this.#isStreaming ? lookBesideStream : wait, signal).catch(() => {});
      if (signal.aborted) return;
      await this.#lookAtAll();
      wait = Math.min(wait * 1.5, look[1]);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { again, look, silence } = this.#timing;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const opened = () => {
          this.#isStreaming = true;
          failures = 0;
          // There are no events for actions that completed before the stream was open.
          void this.#lookAtAll();
        };
        for await (const { event } of readStream(this.#transport, ends, { signal, silence, opened })) {
          if (event.type === 'contract.event') continue;
          const { actionId } = event.data;
          if (this.#waiting.has(actionId)) this.#hear(actionId);
        }
      } catch (error) {
        // A caller without permission for the stream polls instead.
        if (!isTemporary(error)) return;
      } finally {
        this.#isStreaming = false;
      }
      await pause(Math.min(again * 2 ** failures, look[1]), signal).catch(() => {});
    }
  }

  /**
   * Collects actions whose events arrive during a status request, so that the next request covers all of them
   * while the stream is read.
   */
  #hear(actionId: string): void {
    this.#heard.add(actionId);
    if (!this.#isLookingAtHeard) void this.#lookAtHeard();
  }

  async #lookAtHeard(): Promise<void> {
    this.#isLookingAtHeard = true;
    while (this.#heard.size > 0) {
      const ids = [...this.#heard].filter((id) => this.#waiting.has(id));
      this.#heard.clear();
      await this.#look(ids);
    }
    this.#isLookingAtHeard = false;
  }

  async #lookAtAll(): Promise<void> {
    await this.#look([...this.#waiting.keys()]);
  }

  /** Continues waiting after an error that may be temporary. */
  async #look(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += batch) {
      const some = ids.slice(from, from + batch);
      try {
        await this.#requestStatus(some);
      } catch (error) {
        if (!isTemporary(error)) for (const id of some) this.#settle(id, (one) => one.failed(error));
      }
    }
  }

  async #requestStatus(ids: readonly string[]): Promise<void> {
    const { data: actions = [], response } = await this.#transport.http.POST(
      '/v1/ledger-ops/search/actions',
      { body: { actionIds: [...ids] } },
    );
    if (!actions.every(isAction)) throw unreadableProblem(response, '', 'a list of actions');
    for (const action of actions) {
      if (action.status !== 'PENDING') this.#settle(action.actionId, (one) => one.ended(action));
    }
    const found = new Set(actions.map(({ actionId }) => actionId));
    for (const actionId of ids.filter((id) => !found.has(id))) {
      const detail = `The action ${actionId} does not exist or is not visible to you.`;
      const type = 'urn:ledger-ops:problem:not-found';
      const error = new ProblemError({ type, title: 'Not found', status: 404, detail });
      this.#settle(actionId, (one) => one.failed(error));
    }
  }
}
