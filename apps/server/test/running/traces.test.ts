import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { endAll, freePort, run, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createMetrics } from '../../src/metrics/create-metrics.ts';
import { tracesOf } from '../../src/settings/traces.ts';
import { startTracing } from '../../src/traces/start-tracing.ts';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import { type CollectedSpan, type Collector, startCollector } from './collector.ts';

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.close());
afterEach(endAll);

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const settings = {
  OTEL_SDK_DISABLED: 'false',
  OTEL_SERVICE_NAME: 'ledger-ops',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: 1,
} as const;

describe('a server that records traces', () => {
  let here: Installation;
  let tenant: Tenant;
  let to = '';

  beforeAll(async () => {
    here = await install({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=of%20ours',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      METRICS_PORT: '0',
    });
    tenant = await addTenant(here.url, here.administrator, 'one');
    await addWallet(here, tenant, 'from');
    to = (await addWallet(here, tenant, 'to')).walletAddress;
  });
  afterAll(() => here.close());

  /** Waits until a trace contains spans with these names, and returns all of its spans. */
  async function spansOf(trace: string, names: readonly string[]): Promise<readonly CollectedSpan[]> {
    const own = () => collector.spans.filter((span) => span.traceId === trace);
    await vi.waitFor(() => {
      const found = own().map(({ name }) => name);
      expect(names.filter((name) => !found.includes(name))).toEqual([]);
    }, 30_000);
    return own();
  }

  test('each operation of a batch is a child span of the request, with its steps', async () => {
    const operations = ['a', 'b', 'c'].map((name) => ({ name, ...transferBody('from', to) }));
    const { body } = await tenant.api.call<{ results: { actionId: string }[] }>(
      'POST',
      '/v1/ledger-ops/batch',
      { operations },
      { traceparent: `00-${traceId}-${parent}-01` },
    );
    const ids = body.results.map(({ actionId }) => actionId);
    for (const id of ids) {
      expect(await ended(tenant.api, id)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await tenant.api.expect(200, 'GET', `/v1/ledger-ops/actions/${id}`)).toMatchObject({ traceId });
    }
    await spansOf(traceId, ['final', 'confirm', 'POST /v1/ledger-ops/batch']);
    const steps = (name: string) =>
      collector.spans.filter((span) => span.traceId === traceId && span.name === name);
    await vi.waitFor(
      () => expect(collector.spans.filter(({ name }) => name === 'final')).toHaveLength(3),
      60_000,
    );
    const [request] = steps('POST /v1/ledger-ops/batch');
    expect(request).toMatchObject({ parentSpanId: parent, isError: false });
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/ledger-ops/batch',
      'http.response.status_code': 201,
    });
    const accepted = steps('accept');
    expect(new Set(accepted.map(({ attributes }) => attributes['ledger_ops.action.id']))).toEqual(
      new Set(ids),
    );
    for (const span of accepted) expect(span.parentSpanId).toBe(request?.spanId);
    for (const name of ['sign', 'send', 'confirm', 'final']) {
      for (const span of steps(name)) {
        const own = accepted.find(({ spanId }) => spanId === span.parentSpanId);
        expect(own?.attributes['ledger_ops.action.id'], name).toBe(span.attributes['ledger_ops.action.id']);
      }
    }
  });

  test('a step shared by several actions is one span, to which the other actions link', async () => {
    const own = collector.spans.filter((span) => span.traceId === traceId);
    const sends = own.filter(({ name }) => name === 'send');
    const requests = own.filter(({ name }) => name === 'eth_sendRawTransaction');
    expect(requests).toHaveLength(3);
    for (const { parentSpanId, attributes } of requests) {
      expect(sends.map(({ spanId }) => spanId)).toContain(parentSpanId);
      expect(attributes).toEqual({ 'ledger_ops.ledger.id': 'chain', 'rpc.method': 'eth_sendRawTransaction' });
    }
    const shown = new Set(requests.map(({ parentSpanId }) => parentSpanId));
    for (const { spanId, links } of sends) if (!shown.has(spanId)) expect([...shown]).toContain(links[0]);
    const prepared = own.filter(({ name }) => name === 'prepare');
    const [first] = prepared.filter(({ links }) => links.length === 0);
    expect(prepared.flatMap(({ links }) => links)).toEqual([first?.spanId, first?.spanId]);
  });

  test('a request without a trace context starts a new trace, and the span of a rejected request has the error code', async () => {
    const { body } = await tenant.api.call('POST', '/v1/ledger-ops/send', {
      ...transferBody('from', to),
      deadline: '2020-01-01T00:00:00Z',
    });
    expect(body).toMatchObject({ status: 400 });
    const [refused] = await vi.waitFor(() => {
      const found = collector.spans.filter(({ name, isError }) => name === 'accept' && isError);
      expect(found).toHaveLength(1);
      return found;
    }, 30_000);
    expect(refused?.attributes['error.type']).toBe('invalid-request');
    const request = collector.spans.find(({ spanId }) => spanId === refused?.parentSpanId);
    expect(request).toMatchObject({ name: 'POST /v1/ledger-ops/send', isError: false });
    expect(request?.parentSpanId).toBeUndefined();
    expect(request?.traceId).not.toBe(traceId);
  });

  test('a request is not traced if the caller’s trace context is not sampled', async () => {
    const other = traceId.replace('4b', 'aa');
    const answer = await tenant.api.call('POST', '/v1/ledger-ops/send', transferBody('from', to), {
      traceparent: `00-${other}-${parent}-00`,
    });
    await ended(tenant.api, answer.body.actionId ?? '');
    // A later request that is sampled.
    await tenant.api.call('GET', '/v1/technologies', undefined, {
      traceparent: `00-${traceId.replace('4b', 'bb')}-${parent}-01`,
    });
    await spansOf(traceId.replace('4b', 'bb'), ['GET /v1/technologies']);
    expect(collector.text()).not.toContain(other);
  });

  test('traces contain no secrets and no caller input, and requests to the collector contain its key', async () => {
    const text = collector.text();
    expect(text).toContain('"x-collector-key":"of ours"');
    expect(text).toContain('POST /v1/traces');
    expect(text).toContain('deployment.environment.name');
    const callerData = [
      here.anvil.url,
      new URL(here.anvil.url).port,
      to,
      tenant.apiToken,
      'password',
      'from',
    ];
    for (const one of callerData) expect(text.includes(`"${one}"`), one).toBe(false);
    expect(text).not.toContain(here.anvil.url);
    const metrics = await (await fetch(here.server.metricsUrl ?? '')).text();
    expect(metrics).toMatch(/ledger_ops_spans_total\{result="exported"\} \d+/);
    expect(metrics).not.toContain('result="dropped"');
  });

  test('requests succeed while the collector refuses spans', async () => {
    collector.answer(400);
    const { body } = await tenant.api.call('POST', '/v1/ledger-ops/send', transferBody('from', to));
    expect(await ended(tenant.api, body.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
    await vi.waitFor(async () => {
      const metrics = await (await fetch(here.server.metricsUrl ?? '')).text();
      expect(metrics).toMatch(/ledger_ops_spans_total\{result="dropped"\} \d+/);
    }, 30_000);
    collector.answer(200);
  });
});

test('the tracer drops and counts spans that exceed its buffer, with one log line per minute', async () => {
  const lines: unknown[] = [];
  const metrics = createMetrics({ version: '0', database: 'sqlite' });
  let now = 0;
  const tracing = await startTracing(
    tracesOf({ ...settings, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path` }),
    { log: (...line) => lines.push(line), metrics, now: () => now },
  );
  const draw = (n: number) => {
    for (let at = 0; at < n; at += 1)
      tracing?.tracer.begin({ name: 'one of many', parent: undefined, attributes: {} }).end();
  };
  // The first request to the collector takes a batch out of the buffer, so that more spans fit into it.
  draw(10_000);
  const count = async (result: string) =>
    Number(
      new RegExp(`ledger_ops_spans_total\\{result="${result}"\\} (\\d+)`).exec(await metrics.text())?.[1],
    );
  const dropped = await count('dropped');
  expect(dropped).toBeGreaterThan(5_000);
  expect(lines).toEqual([['warn', 'spans lost', { spans: 1, why: 'queue-full' }]]);
  await vi.waitFor(async () => expect(await count('exported')).toBe(10_000 - dropped), 30_000);
  expect(collector.text()).toContain('POST /own/path ');

  collector.answer(401);
  now += 60_000;
  draw(1);
  await tracing?.close();
  expect(lines.slice(1)).toEqual([['warn', 'spans lost', { spans: dropped, why: '401' }]]);
  collector.answer(200);
});

test.each([
  [
    'not loaded if it is disabled',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
    false,
  ],
  ['loaded if a collector is configured', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  // lazy.test.ts tests a server without these settings.
])('OpenTelemetry is %s', async (_, given, isLoaded) => {
  const folder = await openFolder();
  // prom-client imports the API package, but does not use it.
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith('@opentelemetry/')) console.error('loads ' + specifier + ' for ' + context.parentURL);
      return next(specifier, context);
    } });`;
  const port = await freePort();
  const { child, code, err } = run(
    new URL('../../src/main.ts', import.meta.url),
    {
      ...{ PORT: String(port), DATA_DIR: join(folder.path, 'data'), LOG_LEVEL: 'error' },
      ...{ MASTER_KEY: Buffer.alloc(32, 5).toString('base64'), ...given },
    },
    [],
    [...sourceArguments, `--import=data:text/javascript,${encodeURIComponent(hooks)}`],
  );
  try {
    await vi.waitFor(
      async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200),
      60_000,
    );
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(/loads @opentelemetry\/(?!api for \S+\/prom-client\/)/.test(err())).toBe(isLoaded);
  } finally {
    await folder.remove();
  }
});
