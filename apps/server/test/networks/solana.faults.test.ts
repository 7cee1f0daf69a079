// One job with every kind of Solana node, as far as profiles can represent them.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProduct, type Product } from '../job/product.ts';
import { solanaNodes } from './solana/nodes.ts';
import { runSolanaJob } from './solana-job.ts';

// The plugin runs like a plugin of another author: registered by its URL, in its own process.
const module = fileURLToPath(new URL('../../../../packages/plugin-solana/src/index.ts', import.meta.url));

let product: Product;
beforeAll(async () => {
  product = createProduct({ timing: { tick: 200, idleConfirm: 1_000, resend: 600, changeAgain: 400 } });
  await product.start();
  const plugin = { name: 'Solana', projectId: 'job-project', url: `file:${module}`, tags: ['solana'] };
  const { status, body } = await product.call('POST', '/v1/plugins', plugin);
  expect({ status, body }).toMatchObject({ status: 201 });
});
afterAll(() => product?.stop());

test.each(solanaNodes)(
  '$name: transfers, calls, failures, an expiry and 50 sends before a kill each get one final state, which agrees with the ledger',
  (network) => runSolanaJob(product, network),
  240_000,
);
