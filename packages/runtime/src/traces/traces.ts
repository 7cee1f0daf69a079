import { AdapterError, type RequestResult } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { type Traced, traceparentOf } from './trace-context.ts';
import {
  currentScope,
  currentTraceparent,
  inScope,
  type NodeRequest,
  withSpan,
  workFor,
} from './trace-scope.ts';
import type { OpenSpan, Tracer } from './tracer.ts';

/** Maximum number of node requests that are recorded during one read of a ledger. */
const mostGathered = 100;

const actionId = 'ledger_ops.action.id';
const ledger = 'ledger_ops.ledger.id';

/** An action whose transaction has a result on the ledger. */
export interface ConfirmedAction {
  readonly action: Traced & { readonly takenAt?: number; readonly signedAt: number };
  /** The action's transaction on the ledger; null if there is none. */
  readonly locator: string | null;
  readonly height: number | null;
}

/** A completed action whose result is durable. */
export interface EndedAction extends Traced {
  readonly ledgerId: string;
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
}

/**
 * Records the steps of actions as spans, from the request on and across restarts. Each span is a child of the span in
 * which the action was accepted, whose trace context is stored with the action. Without a tracer, calls still carry the
 * trace contexts of their actions.
 */
export interface Traces {
  /** Runs the acceptance of an action. `work` gets the action's id and trace context, which are stored with it. */
  accepting<Result>(id: string, work: (action: Traced) => Promise<Result>): Promise<Result>;
  /**
   * Calls a plugin for actions, with one span per action. Requests to nodes during the call appear in the first
   * recorded span; the other spans link to it.
   * @param failureOf returns the error code of the action at an index
   */
  call<Result>(
    what: {
      readonly name: string;
      readonly ledgerId: string;
      readonly actions: readonly (Traced | undefined)[];
    },
    work: () => Promise<Result>,
    failureOf?: (result: Result, place: number) => string | undefined,
  ): Promise<Result>;
  /**
   * Runs a read of a ledger that may concern many pending actions. `work` then calls `confirmed` with the actions that
   * have a result.
   */
  reading<Result>(work: () => Promise<Result>): Promise<Result>;
  confirmed(ledgerId: string, actions: readonly ConfirmedAction[]): void;
  ended(actions: readonly EndedAction[]): void;
  /** Records a completed request to a node. */
  requested(ledgerId: string, method: string, result: RequestResult, milliseconds: number): void;
}

/** @param tracer if it is omitted, traces are not recorded */
export function createTraces(tracer?: Tracer): Traces {
  if (tracer === undefined) return unrecorded;

  function draw(parent: string, { ledgerId, method, result, from, to }: NodeRequest): void {
    const attributes = { [ledger]: ledgerId, 'rpc.method': method };
    tracer
      ?.begin({ name: method, kind: 'client', parent, at: from, attributes })
      .end(result === 'ok' ? undefined : result, {}, to);
  }

  return {
    accepting(id, work) {
      const span = tracer.begin({
        name: 'accept',
        parent: currentTraceparent(),
        attributes: { [actionId]: id },
      });
      return ending([span], () => withSpan(span, () => work({ id, trace: span.traceparent })));
    },
    call({ name, ledgerId, actions }, work, failureOf) {
      let lead: string | undefined;
      const spans = actions.map((action) => {
        if (action === undefined) return undefined;
        const attributes = { [actionId]: action.id, [ledger]: ledgerId };
        const span = tracer.begin({ name, parent: traceparentOf(action), attributes, link: lead });
        if (span.isRecorded) lead ??= span.traceparent;
        return span;
      });
      const [only] = spans.length === 1 ? spans : [];
      const scope = { traceparent: only && (() => only.traceparent), shownIn: lead };
      return ending(spans, () => inScope(scope, work), failureOf);
    },
    reading: (work) => inScope({ gathered: [] }, work),
    confirmed(ledgerId, actions) {
      let lead: string | undefined;
      for (const { action, locator, height } of actions) {
        const span = tracer.begin({
          name: 'confirm',
          parent: traceparentOf(action),
          at: action.takenAt ?? action.signedAt,
          attributes: {
            ...{ [actionId]: action.id, [ledger]: ledgerId },
            ...(locator === null ? {} : { 'ledger_ops.transaction.id': locator }),
            ...(height === null ? {} : { 'ledger_ops.block.height': height }),
          },
          link: lead,
        });
        if (span.isRecorded && lead === undefined) {
          lead = span.traceparent;
          for (const request of currentScope()?.gathered?.splice(0) ?? []) draw(lead, request);
        }
        span.end();
      }
    },
    ended(actions) {
      for (const { ledgerId, status, endedAt, ...action } of actions) {
        const attributes = { [actionId]: action.id, [ledger]: ledgerId, 'ledger_ops.action.status': status };
        tracer
          .begin({ name: 'final', parent: traceparentOf(action), at: endedAt, attributes })
          .end(status === 'succeeded' ? undefined : status);
      }
    },
    requested(ledgerId, method, result, milliseconds) {
      const { gathered, shownIn } = currentScope() ?? {};
      const to = Date.now();
      const request = { ledgerId, method, result, from: to - milliseconds, to };
      if (shownIn !== undefined) draw(shownIn, request);
      else if (gathered !== undefined && gathered.length < mostGathered) gathered.push(request);
    },
  };
}

const unrecorded: Traces = {
  accepting(id, work) {
    const action = { id, trace: currentTraceparent() ?? null };
    return workFor([action], () => work(action));
  },
  call: ({ actions }, work) => workFor(actions, work),
  reading: (work) => workFor([], work),
  confirmed() {},
  ended() {},
  requested() {},
};

async function ending<Result>(
  spans: readonly (OpenSpan | undefined)[],
  work: () => Promise<Result>,
  failureOf?: (result: Result, place: number) => string | undefined,
): Promise<Result> {
  try {
    const result = await work();
    for (const [place, span] of spans.entries()) span?.end(failureOf?.(result, place));
    return result;
  } catch (error) {
    for (const span of spans) span?.end(codeOf(error));
    throw error;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof AdapterError) return error.code;
  return error instanceof Problem ? error.problem : 'thrown';
}
