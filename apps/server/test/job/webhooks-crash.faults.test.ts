import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { freshAddress } from './chain.ts';
import { createProduct, type Product, transferTo } from './product.ts';

const many = 1_000;
const atOnce = 30;

let anvil: Anvil;
let product: Product;
let receiver: Receiver;
beforeAll(async () => {
  [anvil, receiver] = await Promise.all([startAnvil(), startReceiver()]);
});
afterAll(async () => {
  await product?.stop();
  await Promise.all([anvil?.stop(), receiver?.close()]);
});

test(
  `every event of ${many} actions arrives, in order per action, although the server is killed twice`,
  async () => {
    product = createProduct({
      rpcUrl: () => anvil.url,
      webhookTiming: { look: 50, lease: 1_000, again: { first: 50, longest: 500 } },
    });
    await product.start();
    const wallet = await product.wallet();
    const made = await product.call<{ secret: string }>('POST', '/v1/webhooks', { url: receiver.url });
    expect(made.status).toBe(201);
    receiver.secret = made.body.secret;

    const accepted: string[] = [];
    const send = async (count: number) => {
      for (let sent = 0; sent < count; sent += atOnce) {
        const batch = Array.from({ length: Math.min(atOnce, count - sent) }, async () => {
          const { status, body } = await product.call(
            'POST',
            '/v1/ledger-ops/send',
            transferTo(wallet, freshAddress(), 1),
          );
          expect(status).toBe(201);
          accepted.push(String(body.actionId));
        });
        await Promise.all(batch);
      }
    };
    const distinct = () => new Set(receiver.received.map(({ id }) => id)).size;

    await send(many / 2);
    await vi.waitFor(() => expect(distinct()).toBeGreaterThan(many / 8), 60_000);
    await product.kill();
    receiver.answer = () => 503;
    await product.start();
    await send(many / 2);
    await product.ended(accepted);
    await product.kill();
    await product.start();
    receiver.answer = () => 204;

    await vi.waitFor(() => expect(distinct()).toBe(many * 2), {
      timeout: 60_000 + many * 200,
      interval: 100,
    });
    expect(receiver.forged).toEqual([]);
    const byAction = new Map<string, string[]>();
    const seen = new Set<string>();
    for (const { id, type, data } of receiver.received) {
      if (seen.has(id)) continue;
      seen.add(id);
      const actionId = String(data.actionId);
      byAction.set(actionId, [...(byAction.get(actionId) ?? []), type]);
    }
    expect([...byAction.keys()].toSorted()).toEqual(accepted.toSorted());
    for (const types of byAction.values()) expect(types).toEqual(['action.accepted', 'action.succeeded']);
  },
  180_000 + many * 600,
);
