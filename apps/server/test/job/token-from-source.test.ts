import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenBalanceOf } from './chain.ts';
import { createProduct, type Product } from './product.ts';

const example = fileURLToPath(new URL('../../../../examples/token-from-source/index.mjs', import.meta.url));
let anvil: Anvil;
let product: Product;

beforeAll(async () => {
  anvil = await startAnvil();
  product = createProduct({ rpcUrl: () => anvil.url });
  await product.start();
});

afterAll(async () => {
  await product.stop();
  await anvil.stop();
});

test('the example takes a token with imports from its source to deployed, registered and moved', async () => {
  const [alice, bob] = [await product.wallet(), await product.wallet()];
  const devFile = join(product.folder, 'dev.json');
  const wallets = [alice, bob].map(({ walletId, password, address }) => ({
    ...{ walletId, walletPassword: password, walletAddress: address, ledgerId: 'dev-ethereum' },
  }));
  await writeFile(devFile, JSON.stringify({ ...product.connection(), wallets }), { mode: 0o600 });
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [example, devFile], { timeout: 120_000, env: {} });
  const made = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>;

  expect(made.balance).toBe('42');
  expect(await tokenBalanceOf(anvil, made.address ?? '', bob.address)).toBe(42n);
  expect(await tokenBalanceOf(anvil, made.address ?? '', alice.address)).toBe(999_958n);
  expect(await product.call('GET', `/v1/contracts/${made.contractId}`)).toMatchObject({
    status: 200,
    body: {
      ...{ contractId: made.contractId, name: 'My Token' },
      ledgerReference: { ledgerId: 'dev-ethereum', nativeReference: made.address },
    },
  });
  expect(await product.call('GET', `/v1/contract-templates/${made.templateId}/versions/1`)).toMatchObject({
    ...{ status: 200, body: { status: 'COMPILED', language: 'Solidity' } },
  });
}, 300_000);
