import { strict as assert } from 'node:assert';
import { hash } from 'node:crypto';
import type {
  AdapterDefinition,
  AdapterProblem,
  KeyType,
  LedgerSession,
  SigningRequest,
} from '@ledger-ops/adapter';
import { sessionCalls, wrapCalls } from '@ledger-ops/adapter';
import { assertProblem, requireProblem } from './problem.ts';

/** A definition whose messages are checked, its secrets, and the time limit of calls. */
export interface Wire {
  definition: AdapterDefinition;
  /** Strings that no message may contain. */
  secrets: readonly string[];
  /** Time limit of a call in milliseconds. */
  patience: number;
}

/**
 * Returns a session as a host in another process sees it: all data is cloned, inputs are frozen, and every
 * message is checked. A call that does not settle in time fails.
 */
export function overTheWire(session: LedgerSession, wire: Wire): LedgerSession {
  const call = async (name: string, argument: unknown, run: (frozen: unknown) => Promise<unknown>) => {
    const result = await inTime(`${name}()`, wire.patience, () =>
      run(freeze(structuredClone(argument))),
    ).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) requireProblem(error, `${name}()`, wire.secrets);
      throw error;
    });
    return cross(result, `the response of ${name}()`);
  };
  const guarded = wrapCalls(session, async (method, [request, ...options], run) => {
    const answer = await call(method, request, (frozen) => run([frozen, ...options]));
    if (sessionCalls[method].batch === true) {
      assert.ok(
        Array.isArray(answer) && Array.isArray(request) && answer.length === request.length,
        `${method}() did not return one answer for each request`,
      );
    }
    for (const item of Array.isArray(answer) ? answer : [answer]) assertAnswer(item, `${method}()`, wire);
    return answer;
  });
  return {
    ...guarded,
    onHead: (listener) => session.onHead((head) => listener(cross(head, 'the head given to onHead()'))),
    async close() {
      await call('close', undefined, () => session.close());
    },
  };
}

/**
 * Members that the adapter interface defines. The compiler checks their types in the adapter, so this list
 * need not.
 */
interface Told {
  done?: boolean;
  requests?: SigningRequest[];
  problem?: AdapterProblem;
  attempts?: { round: Told }[];
  attempt?: { round: Told };
  outcomes?: Told[];
}

/** Checks the signing rounds and the problems of an answer. */
function assertAnswer(answer: unknown, where: string, wire: Wire): void {
  if (typeof answer !== 'object' || answer === null) return;
  const { done, requests = [], problem, attempts = [], attempt, outcomes = [] }: Told = answer;
  if (problem !== undefined) assertProblem(problem, where, wire.secrets);
  if (done === false) assertRound(requests, wire.definition.keyType, where);
  for (const { round } of attempt === undefined ? attempts : [attempt]) assertAnswer(round, where, wire);
  for (const outcome of outcomes) assertAnswer(outcome, where, wire);
}

/** Fails if the call takes longer than the time limit. */
export async function inTime<Result>(
  what: string,
  patience: number,
  run: () => Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new assert.AssertionError({ message: `${what} did not settle within ${patience} ms` })),
    patience,
  );
  try {
    return await Promise.race([run(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function cross<Value>(value: Value, what: string): Value {
  let clone: Value;
  try {
    clone = structuredClone(value);
  } catch (cause) {
    throw new assert.AssertionError({
      message: `${what} is not compatible with structured clone: ${String(cause)}`,
    });
  }
  assert.deepStrictEqual(
    clone,
    value,
    `${what} is not plain data (plain objects, arrays, Uint8Array, bigint)`,
  );
  return clone;
}

function assertRound(requests: readonly SigningRequest[], curve: KeyType, where: string): void {
  assert.ok(requests.length > 0, `${where}: a signing round that is not done requests no signature`);
  for (const request of requests) assertSigningRequest(request, curve, where);
}

function assertSigningRequest(request: SigningRequest, curve: KeyType, where: string): void {
  assert.equal(
    request.curve,
    curve,
    `${where}: the curve of a signing request is not the adapter's key type`,
  );
  const { signer, ...unnamed } = request;
  const { message, ...rest } = unnamed;
  const asked = request.curve === 'ed25519' ? 'message' : 'digest';
  assert.deepStrictEqual(
    Object.keys(request.curve === 'ed25519' ? unnamed : rest).toSorted(),
    ['curve', asked],
    `${where}: a signing request does not contain a ${asked} and nothing else`,
  );
  assert.ok(signer === undefined || typeof signer === 'string', `${where}: the signer is not an address`);
  assert.ok(message === undefined || message instanceof Uint8Array, `${where}: the message is not bytes`);
  if (request.curve === 'ed25519') return;
  const { digest } = request;
  assert.ok(
    digest instanceof Uint8Array && digest.length === 32,
    `${where}: the digest does not have 32 bytes`,
  );
  assert.ok(
    message === undefined || hash('sha256', message, 'buffer').equals(digest),
    `${where}: the digest of a signing request is not the SHA-256 of its message`,
  );
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const member of value instanceof Map ? value.values() : Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
