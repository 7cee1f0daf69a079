import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { moduleOf, type Opened, openModule, openSession, problemOf } from './modules.ts';

const address = 'normaliseAddress: async (text) => text,';

describe('a failing process is started again, and only its calls fail', () => {
  /** Another module, which must keep working while the tested ones fail. */
  let other: Opened['adapter'];
  const atEnd: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    other = (await openModule(moduleOf(address), {}, (done) => void atEnd.push(done))).adapter;
  });
  afterAll(async () => {
    for (const done of atEnd.toReversed()) await done();
  });

  test.each([
    ['ends', 'process.exit(3);', 'its process exited with code 3 during balances()', {}],
    [
      'is in an endless loop',
      'for (;;);',
      'did not respond to balances() within 1500 ms',
      { timing: { call: 1_500, ping: 400 } },
    ],
    [
      'throws an uncaught exception',
      "setImmediate(() => { throw new Error('late'); }); return new Promise(() => undefined);",
      'its process exited with code 1 during balances()',
      {},
    ],
    [
      'allocates buffers without end',
      'const all = []; for (;;) { all.push(Buffer.alloc(4_000_000, 1)); await undefined; }',
      'more than 200 MB of memory during balances()',
      { memoryLimitMb: 200 },
    ],
    [
      'fills its heap',
      'const all = []; for (;;) all.push([...Array(1_000).keys()].map((one) => ({ one })));',
      'memory during balances()',
      { memoryLimitMb: 200 },
    ],
    [
      'sends an enormous message',
      "return 'x'.repeat(5_000_000);",
      'which exceeds the limit of 1000000 during balances()',
      { maxMessageBytes: 1_000_000 },
    ],
    [
      'announces a message that is too long',
      'fs.writeSync(3, Buffer.alloc(8, 255)); return [];',
      'a message of 4294967295 bytes',
      {},
    ],
    [
      'sends bytes that are not a message',
      'fs.writeSync(3, Buffer.from([0, 0, 0, 3, 1, 2, 3])); return [];',
      'not a structured clone',
      {},
    ],
    [
      'sends a short message with too many values',
      'return Array.from({ length: 200_000 }, () => ({}));',
      'a message with more than 400000 values',
      {},
    ],
    [
      'sends a short message whose shared values expand too much',
      "let all = ['ha']; for (let level = 0; level < 30; level += 1) all = [all, all, all, all]; return all;",
      'a message with more than 400000 values',
      {},
    ],
    [
      'floods the host with unrequested messages',
      "for (;;) { for (let i = 0; i < 1_000; i += 1) try { fs.writeSync(3, frame({ t: 'pong', id: 1, rss: 1 })); } catch {} await new Promise(setImmediate); }",
      'it sent more than 2000 events per second',
      {},
    ],
    [
      'sends invalid bytes on the connection stream',
      // The answer would arrive on another stream, which the host may read first.
      'fs.writeSync(4, Buffer.from([0, 0, 0, 3, 1, 2, 3])); return new Promise(() => undefined);',
      'not a structured clone',
      {},
    ],
    [
      'opens a connection twice',
      "for (const id of [1, 1]) fs.writeSync(4, frame({ t: 'connect', id, host: '127.0.0.1', port: 8545 })); return new Promise(() => undefined);",
      'it opened a connection twice',
      {},
    ],
    [
      'sends a malformed message',
      "fs.writeSync(3, frame({ t: 'hello' })); return [];",
      'an invalid message',
      {},
    ],
    [
      'answers a call that was not made',
      "fs.writeSync(3, frame({ t: 'answer', id: 999, value: [1n] })); return [];",
      'it responded to a call that is not pending',
      {},
    ],
    [
      'floods the host with log lines',
      "for (;;) { for (let i = 0; i < 1_000; i += 1) host.log('info', 'again'); await new Promise(setImmediate); }",
      // A busy host reads more slowly than the process writes. Then the memory limit ends the process.
      /it sent more than 2000 events per second|used more than 512 MB of memory/,
      {},
    ],
  ])('restarts a plugin process that %s', async (_, code, detail, options) => {
    const source = moduleOf(`${address} balances: async () => { ${code} }`);
    const { adapter, until } = await openModule(source, { timing: { call: 50_000 }, ...options });
    const session = await openSession(adapter);
    const otherSession = await openSession(other);
    const { pid } = adapter.health();

    const failed = problemOf(session.balances(['a']));
    expect(await otherSession.normaliseAddress('undisturbed')).toBe('undisturbed');
    expect(await failed).toMatchObject({
      code: expect.stringMatching(/^(unavailable|timeout)$/),
      phase: 'check',
      detail: typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail),
    });
    expect(await failed).toMatchObject({ detail: expect.stringContaining('plugin.mjs') });

    const health = await until(({ state, restarts }) => state === 'up' && restarts > 0);
    expect(health.pid).not.toBe(pid);
    expect(health.lastFailure).toBeDefined();
    // The same session, in the new process.
    expect(await session.normaliseAddress('again')).toBe('again');
    expect(other.health().restarts).toBe(0);
  });

  test('while the process restarts, calls fail as unavailable, and the error names the reason', async () => {
    const { adapter, until } = await openModule(moduleOf('balances: async () => process.exit(3)'), {
      timing: { restart: { first: 600_000, longest: 600_000 } },
    });
    const session = await openSession(adapter);
    await problemOf(session.balances([]));
    await until(({ state }) => state === 'restarting');
    expect(await problemOf(session.chain())).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('its process exited with code 3; it is being restarted'),
    });
    // A session that is opened now works once the process has restarted.
    const later = await openSession(adapter);
    expect(await problemOf(later.chain())).toMatchObject({ code: 'unavailable' });
    expect(await problemOf(adapter.readInterface(''))).toMatchObject({ phase: 'interface' });
  });

  test('a module that describes itself differently after a restart is not used, and the reason says what to do', async () => {
    const source = moduleOf('balances: async () => process.exit(3)');
    const { adapter, until } = await openModule(
      source.replace("version: '1.0.0'", "version: '1.0.' + Date.now()"),
    );
    const session = await openSession(adapter);
    await problemOf(session.balances([]));
    const { state, lastFailure } = await until((health) => health.lastFailure?.kind === 'broken');
    expect(state).toBe('restarting');
    expect(lastFailure?.detail).toContain(
      'describes itself differently than when it was opened. Deactivate and activate it',
    );
    expect(await problemOf(session.chain())).toMatchObject({ code: 'unavailable' });
  });

  test('the delay before a restart doubles up to its limit', async () => {
    const { adapter, log, until } = await openModule(moduleOf('balances: async () => process.exit(3)'), {
      timing: { restart: { first: 1, longest: 4 } },
    });
    const session = await openSession(adapter);
    for (let restarts = 1; restarts <= 4; restarts += 1) {
      await problemOf(session.balances([]));
      await until((health) => health.state === 'up' && health.restarts === restarts);
    }
    const waits = log.flatMap((line) => /"restartInMs":(\d+)/.exec(line)?.[1] ?? []);
    expect(waits).toEqual(['1', '2', '4', '4']);
  });

  test('after one answered ping, a process gets the full time for the next ping', async () => {
    const source = moduleOf(`${address} balances: () => new Promise(() => undefined)`);
    const { adapter } = await openModule(source, {
      isolation: 'restricted',
      timing: { call: 1_000, ping: 1_500 },
    });
    const session = await openSession(adapter);
    const { pid = 0 } = adapter.health();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());

    const first = problemOf(session.balances([]));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await first).toMatchObject({ code: 'timeout' });
    // The process is alive, because it answers a call after the ping.
    expect(await session.normaliseAddress('there')).toBe('there');
    process.kill(pid, 'SIGSTOP');
    const second = problemOf(session.balances([]));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await second).toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(1_000);
    process.kill(pid, 'SIGCONT');
    expect(await session.normaliseAddress('still there')).toBe('still there');
    expect(adapter.health().restarts).toBe(0);
  });

  test('an unanswered call times out while other calls are answered, and too many unanswered calls end the process', async () => {
    const source = moduleOf(`${address} balances: () => new Promise(() => undefined)`);
    const { adapter, until } = await openModule(source, { timing: { call: 1_000 }, maxUnanswered: 2 });
    const session = await openSession(adapter);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const unanswered = async () => {
      const call = problemOf(session.balances([]));
      await vi.advanceTimersByTimeAsync(1_000);
      return call;
    };
    for (let count = 0; count < 2; count += 1) {
      expect(await unanswered()).toMatchObject({ code: 'timeout' });
      expect(await session.normaliseAddress('still here')).toBe('still here');
    }
    expect(adapter.health().restarts).toBe(0);
    expect(await unanswered()).toMatchObject({ code: 'timeout' });
    const { lastFailure } = await until(({ state }) => state === 'restarting');
    expect(lastFailure).toMatchObject({ kind: 'hung', detail: 'it left 3 calls unanswered' });
    await vi.advanceTimersByTimeAsync(1_000);
    await until(({ restarts, state }) => restarts === 1 && state === 'up');
  });
});

describe('an answer that violates the adapter interface is a fault of the plugin, and only that call fails', () => {
  const wallet = { address: '0x' };
  const plan = {};
  const sent = { txId: 'mine', bytes: new Uint8Array(1) };
  const final = "status: 'succeeded', height: 1, blockHash: 'b'";
  const tip = "{ height: 1, hash: 'b' }";

  test.each([
    ['a number instead of a string', 'normaliseAddress: async () => 5', '/: Invalid input'],
    ['a function', 'normaliseAddress: async () => () => 1', 'normaliseAddress() threw'],
    [
      'a thrown Error',
      "normaliseAddress: async () => { throw new Error('x'); }",
      'threw Error, which is not an AdapterError',
    ],
    [
      'a thrown problem with an unknown code',
      "normaliseAddress: async () => { throw Object.assign(new Error(), { name: 'AdapterError', problem: { code: 'odd' } }); }",
      'threw a value that is not an error',
    ],
    ['a missing method', 'other: 1', 'threw TypeError'],
  ])('reports an invalid answer as a fault of the plugin: %s', async (_, method, detail) => {
    const { adapter } = await openModule(moduleOf(method));
    const session = await openSession(adapter);
    expect(await problemOf(session.normaliseAddress('a'))).toMatchObject({
      code: 'adapter-fault',
      phase: 'check',
      detail: expect.stringContaining(detail),
    });
    expect(await session.chain()).toEqual({ id: 'test:1', genesis: 'genesis' });
    expect(adapter.health().restarts).toBe(0);
  });

  test('rejects an answer with fewer items than the request, or about a different action', async () => {
    const { adapter } = await openModule(
      moduleOf(`
        estimate: async () => [],
        prepare: async () => [{ status: 'prepared', attempts: [{ kind: 'main', round:
          { done: false, requests: [{ curve: 'p256', digest: new Uint8Array(32) }], state: 1 } }] }],
        advance: async () => [1, 2],
        submit: async () => [{ txId: 'another', status: 'accepted' }],
        confirm: async () => ({ cursor: ${tip}, head: ${tip}, reorganised: false,
          outcomes: [{ txId: 'another', ${final} }] }),
        sequences: async () => [-1n],
        lookup: async () => ({ txId: 'another', status: 'SUCCEEDED' }),
        check: async () => { const plan = {}; plan.self = plan;
          return { plan, recipients: [], readiness: 'ready', cost: 0n }; },`),
    );
    const session = await openSession(adapter);
    const native = { technology: 'ethereum', content: {} } as const;
    const operation = { type: 'transfer', recipient: 'a', amount: 1n, native } as const;
    const faults: [() => Promise<unknown>, string][] = [
      [() => session.estimate([{ wallet, plan, minHeight: 0 }]), '0 responses to 1 requests'],
      [
        () => session.prepare([{ actionId: 'a', wallet, plan, sequence: 0n }]),
        '/0/attempts/0/round/requests/0/curve',
      ],
      [() => session.advance([]), '2 responses to 0 requests'],
      [() => session.submit([sent]), 'submit() with a transaction that was not in the request'],
      [
        () => session.confirm({ cursor: null, pending: new Map([['mine', wallet]]) }),
        'confirm() with a transaction that was not in the request',
      ],
      [() => session.sequences(['a']), '/0: must not be negative'],
      [() => session.lookup('mine'), 'a different transaction than the requested one'],
      [() => session.check({ wallet, operation }), '/plan: must be a JSON object'],
    ];
    for (const [call, detail] of faults) {
      expect(await problemOf(call())).toMatchObject({
        code: 'adapter-fault',
        detail: expect.stringContaining(detail),
      });
    }
    expect(adapter.health().restarts).toBe(0);
  });

  test.each([
    [
      'the same event twice',
      '{ events: [event(7), event(7)], after: { height: 8 }, newest: 8, more: false }',
      'the same event twice',
    ],
    [
      'events out of order',
      '{ events: [event(8), event(7)], after: { height: 8 }, newest: 8, more: false }',
      'in the wrong order',
    ],
    [
      'more events than requested',
      '{ events: [1, 2, 3], after: { height: 8 }, newest: 8, more: false }',
      '3 events, although at most 2',
    ],
    [
      'a position before the requested one',
      '{ events: [], after: { height: 5 }, newest: 8, more: false }',
      'does not advance',
    ],
    [
      'more to read at the same position',
      '{ events: [], after: { height: 6 }, newest: 8, more: true }',
      'does not advance',
    ],
    [
      'an event above its position',
      '{ events: [event(9)], after: { height: 8 }, newest: 8, more: false }',
      'in the wrong order',
    ],
  ])('rejects a page of contract events with %s', async (_, page, detail) => {
    const { adapter } = await openModule(
      moduleOf(`contractEvents: async () => {
        const event = (height) => ({ id: 'e' + height, height, blockHash: 'b', txId: 't', raw: {} });
        return ${page};
      },`).replace('lookup: true,', 'lookup: true, contractEvents: true,'),
    );
    const session = await openSession(adapter);
    const request = { contract: { address: 'a' }, after: { height: 6 }, limit: 2 };
    expect(await problemOf(session.contractEvents?.(request) ?? Promise.resolve())).toMatchObject({
      ...{ code: 'adapter-fault', phase: 'lookup' },
      detail: expect.stringContaining(detail),
    });
  });
});

test.each([
  ['a number that contains a secret of its ledger', '{ number: 1234567 }', [{ number: 1_234_567 }]],
  ['too many characters', "{ text: 'x'.repeat(100_000) }", [{ leftOut: '(the log line was too long)' }]],
])('a log line with %s does not affect the host', async (_, fields, expected) => {
  const lines: unknown[] = [];
  const { adapter } = await openModule(
    moduleOf(`normaliseAddress: async (text) => { host.log('info', 'line', ${fields}); return text; },`),
  );
  const session = await adapter.open(
    { ledgerId: 'ledger', technology: 'ethereum', properties: { password: '1234' }, nodes: [] },
    {
      now: Date.now,
      log: (_level, event, more) => event === 'line' && lines.push(more),
      signal: new AbortController().signal,
    },
  );
  expect(await session.normaliseAddress('0xa')).toBe('0xa');
  await expect.poll(() => lines).toEqual(expected);
});

test('a module cannot make V8 write files, because it cannot set flags', async () => {
  const { adapter } = await openModule(
    moduleOf("normaliseAddress: async () => typeof (await import('node:v8')).setFlagsFromString,"),
  );
  const session = await adapter.open(
    { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] },
    { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  );
  expect(await session.normaliseAddress('0xa')).toBe('undefined');
});
