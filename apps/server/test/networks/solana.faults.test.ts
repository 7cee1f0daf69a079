// Runs one job with every kind of Solana node. Node profiles imitate the nodes.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProduct, type Product } from '../job/product.ts';
import { solanaNodes } from './solana/nodes.ts';
import { runSolanaJob } from './solana-job.ts';

// The plugin is registered by its URL and runs in its own process, like a third-party plugin.
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
  '$name: transfers, calls, failures, an expiry and 50 sends before a crash end in the state that the ledger shows',
  (network) => runSolanaJob(product, network),
  240_000,
);
