import { strict as assert } from 'node:assert';
import { hash } from 'node:crypto';
import type {
  AdapterDefinition,
  AdapterProblem,
  KeyType,
  LedgerSession,
  Round,
  SigningRequest,
} from '@ledger-ops/adapter';
import { assertProblem, requireProblem } from './problem.ts';

/** A definition whose messages are watched, texts that none may hold, and the time that calls may take. */
export interface Wire {
  definition: AdapterDefinition;
  /** Texts that no message may hold. */
  secrets: readonly string[];
  /** Milliseconds that a call may take. */
  patience: number;
}

/**
 * A session as a host in another process would have it: everything in and out is cloned, what goes in is
 * frozen, and every message is checked. A call that does not settle in time fails.
 */
export function overTheWire(session: LedgerSession, wire: Wire): LedgerSession {
  const call = async <Argument, Result>(
    name: string,
    run: (argument: Argument) => Promise<Result>,
    argument: Argument,
  ): Promise<Result> => {
    const result = await inTime(`${name}()`, wire.patience, () =>
      run(freeze(structuredClone(argument))),
    ).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) requireProblem(error, `${name}()`, wire.secrets);
      throw error;
    });
    return cross(result, `the answer of ${name}()`);
  };
  const rounds = <Result>(list: Round<Result>[], where: string): Round<Result>[] => {
    for (const round of list) assertRound(round, wire.definition.keyType, where);
    return list;
  };
  const problems = (list: readonly { problem?: AdapterProblem }[], where: string) => {
    for (const { problem } of list) {
      if (problem !== undefined) assertProblem(problem, where, wire.secrets);
    }
  };

  const { renewWallet, replace, inspect, describeContract, contractEvents } = session;
  const { emulateAs, advanceEmulation } = session;
  return {
    chain: (request) => call('chain', (one) => session.chain(one), request),
    async createWallet(request) {
      const round = await call('createWallet', (one) => session.createWallet(one), request);
      return rounds([round], 'createWallet()')[0] ?? round;
    },
    async advanceWallet(advance) {
      const round = await call('advanceWallet', (one) => session.advanceWallet(one), advance);
      return rounds([round], 'advanceWallet()')[0] ?? round;
    },
    ...(renewWallet === undefined
      ? {}
      : {
          async renewWallet(wallet) {
            const round = await call('renewWallet', (one) => renewWallet.call(session, one), wallet);
            return rounds([round], 'renewWallet()')[0] ?? round;
          },
        }),
    check: (request) => call('check', (one) => session.check(one), request),
    async estimate(requests) {
      const answers = await call('estimate', (all) => session.estimate(all), requests);
      assert.equal(answers.length, requests.length, 'estimate() gives one answer for each request');
      problems(
        answers.map((answer) => (answer.status === 'ready' ? {} : answer)),
        'estimate()',
      );
      return answers;
    },
    async prepare(requests) {
      const answers = await call('prepare', (all) => session.prepare(all), requests);
      assert.equal(answers.length, requests.length, 'prepare() gives one answer for each request');
      for (const answer of answers) {
        if (answer.status === 'failed') problems([answer], 'prepare()');
        else
          rounds(
            answer.attempts.map((attempt) => attempt.round),
            'prepare()',
          );
      }
      return answers;
    },
    async advance(advances) {
      const answers = await call('advance', (all) => session.advance(all), advances);
      assert.equal(answers.length, advances.length, 'advance() gives one round for each');
      return rounds(answers, 'advance()');
    },
    ...(replace === undefined || inspect === undefined
      ? {}
      : {
          async replace(requests) {
            const answers = await call('replace', (all) => replace.call(session, all), requests);
            assert.equal(answers.length, requests.length, 'replace() gives one answer for each request');
            for (const answer of answers) {
              if (answer.status === 'wait') problems([answer], 'replace()');
              if (answer.status === 'prepared') rounds([answer.attempt.round], 'replace()');
            }
            return answers;
          },
          async inspect(requests) {
            const answers = await call('inspect', (all) => inspect.call(session, all), requests);
            assert.equal(answers.length, requests.length, 'inspect() gives one answer for each request');
            problems(answers, 'inspect()');
            return answers;
          },
        }),
    async submit(submissions) {
      const answers = await call('submit', (all) => session.submit(all), submissions);
      problems(answers, 'submit()');
      return answers;
    },
    async confirm(request) {
      const confirmed = await call('confirm', (one) => session.confirm(one), request);
      problems(
        confirmed.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome : {})),
        'confirm()',
      );
      return confirmed;
    },
    onHead: (listener) => session.onHead((head) => listener(cross(head, 'the head given to onHead()'))),
    sequences: (addresses, options) => call('sequences', (all) => session.sequences(all, options), addresses),
    balances: (addresses) => call('balances', (all) => session.balances(all), addresses),
    normaliseAddress: (address) => call('normaliseAddress', (one) => session.normaliseAddress(one), address),
    ...(describeContract === undefined
      ? {}
      : {
          describeContract: (address) =>
            call('describeContract', (one) => describeContract.call(session, one), address),
        }),
    ...(contractEvents === undefined
      ? {}
      : {
          contractEvents: (request) =>
            call('contractEvents', (one) => contractEvents.call(session, one), request),
        }),
    emulate: (request) => call('emulate', (one) => session.emulate(one), request),
    ...(emulateAs === undefined || advanceEmulation === undefined
      ? {}
      : {
          async emulateAs(request) {
            const round = await call('emulateAs', (one) => emulateAs.call(session, one), request);
            return rounds([round], 'emulateAs()')[0] ?? round;
          },
          async advanceEmulation(advance) {
            const round = await call(
              'advanceEmulation',
              (one) => advanceEmulation.call(session, one),
              advance,
            );
            return rounds([round], 'advanceEmulation()')[0] ?? round;
          },
        }),
    lookup: (txId) => call('lookup', (one) => session.lookup(one), txId),
    close: () => call('close', () => session.close(), undefined),
  };
}

/** Fails when it takes longer than the patience allows. */
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
    throw new assert.AssertionError({ message: `${what} cannot be structured-cloned: ${String(cause)}` });
  }
  assert.deepStrictEqual(
    clone,
    value,
    `${what} is not plain data (plain objects, arrays, Uint8Array, bigint)`,
  );
  return clone;
}

function assertRound<Result>(round: Round<Result>, curve: KeyType, where: string): void {
  if (round.done) return;
  assert.ok(round.requests.length > 0, `${where}: a round that is not done asks for no signature`);
  for (const request of round.requests) assertSigningRequest(request, curve, where);
}

function assertSigningRequest(request: SigningRequest, curve: KeyType, where: string): void {
  assert.equal(request.curve, curve, `${where}: the curve of a signing request is the adapter's key type`);
  const { signer, ...unnamed } = request;
  const { message, ...rest } = unnamed;
  const asked = request.curve === 'ed25519' ? 'message' : 'digest';
  assert.deepStrictEqual(
    Object.keys(request.curve === 'ed25519' ? unnamed : rest).toSorted(),
    ['curve', asked],
    `${where}: a signing request asks for a ${asked} to be signed and nothing else`,
  );
  assert.ok(signer === undefined || typeof signer === 'string', `${where}: a signer is an address`);
  assert.ok(message === undefined || message instanceof Uint8Array, `${where}: a message is bytes`);
  if (request.curve === 'ed25519') return;
  const { digest } = request;
  assert.ok(digest instanceof Uint8Array && digest.length === 32, `${where}: a digest has 32 bytes`);
  assert.ok(
    message === undefined || hash('sha256', message, 'buffer').equals(digest),
    `${where}: the digest of a signing request is the SHA-256 of the message beside it`,
  );
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const member of value instanceof Map ? value.values() : Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
