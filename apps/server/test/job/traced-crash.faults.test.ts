import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Collector, startCollector } from '../running/collector.ts';
import { freshAddress } from './chain.ts';
import { createProduct, type Product, transferTo } from './product.ts';

let anvil: Anvil;
let collector: Collector;
let product: Product;

beforeAll(async () => {
  [anvil, collector] = await Promise.all([startAnvil(), startCollector()]);
  product = createProduct({
    rpcUrl: () => anvil.url,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
});
afterAll(async () => {
  await product?.stop();
  await Promise.all([anvil?.stop(), collector?.close()]);
});

test('one trace covers an action from its request to its block, even if the server is killed in between', async () => {
  const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
  const parent = '00f067aa0ba902b7';
  const seen = () => collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => seen().filter((span) => span.name === name);
  const has = (...names: string[]) =>
    vi.waitFor(() => {
      for (const name of names) expect(named(name), name).not.toEqual([]);
    }, 30_000);

  await product.start();
  const wallet = await product.wallet();
  await anvil.rpc('evm_setIntervalMining', [0]);
  const { status, body } = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    transferTo(wallet, freshAddress(), 7),
    { traceparent: `00-${traceId}-${parent}-01` },
  );
  expect({ status, body }).toMatchObject({ status: 201 });
  await has('POST /v1/ledger-ops/send', 'accept', 'sign', 'send', 'eth_sendRawTransaction');
  expect(named('confirm')).toEqual([]);
  await product.kill();

  await product.start();
  await anvil.rpc('evm_setIntervalMining', [1]);
  const [action] = await product.ended([String(body.actionId)]);
  expect(action).toMatchObject({ status: 'SUCCEEDED' });
  await has('confirm', 'final');

  const spans = seen();
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const [request] = named('POST /v1/ledger-ops/send');
  const [accepted] = named('accept');
  expect(request?.parentSpanId).toBe(parent);
  expect(accepted?.parentSpanId).toBe(request?.spanId);
  for (const name of ['sign', 'send', 'confirm', 'final'])
    for (const span of named(name)) expect([name, span.parentSpanId]).toEqual([name, accepted?.spanId]);
  for (const { spanId, parentSpanId } of spans)
    if (spanId !== request?.spanId) expect(ids.has(parentSpanId ?? '')).toBe(true);
  const [confirm] = named('confirm');
  const { blockNumber } = await anvil.rpc<{ blockNumber: string }>('eth_getTransactionReceipt', [
    action?.locator,
  ]);
  expect(confirm?.attributes).toEqual({
    'ledger_ops.action.id': body.actionId,
    'ledger_ops.ledger.id': 'dev-ethereum',
    'ledger_ops.transaction.id': action?.locator,
    'ledger_ops.block.height': Number(blockNumber),
  });
  expect(spans.filter(({ parentSpanId }) => parentSpanId === confirm?.spanId)).not.toEqual([]);
  expect(named('final')).toHaveLength(1);
  expect(named('final')[0]?.attributes).toMatchObject({ 'ledger_ops.action.status': 'succeeded' });

  const text = collector.text();
  for (const secret of [wallet.password, wallet.privateKey.slice(2), anvil.url, wallet.address])
    expect(text).not.toContain(secret);
}, 300_000);
