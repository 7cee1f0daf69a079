import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '../../../testing/folder.ts';
import type { Caller } from '../src/caller.ts';
import { company } from '../src/demo/company.ts';
import { startDemo } from '../src/demo/start-demo.ts';

test('the demo enables its webhook with its own receiver, and disables the webhook when the demo ends', async () => {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const changes: unknown[] = [];
  const caller: Caller = {
    async call(method, path, body) {
      if (method === 'PUT') changes.push([path, body]);
      return path === '/v1/webhooks' ? { webhooks: [{ id: 'w1', description: company.webhook }] } : {};
    },
  };
  const wallets = company.wallets.map((walletId) => ({
    ...{ walletId, walletPassword: 'secret', walletAddress: '0x1', ledgerId: 'dev-ethereum' },
  }));
  const file = {
    ...{ baseUrl: '', applicationToken: '', clientId: '', serviceAccount: '', clientSecret: '' },
    ...{ organizationId: '', projectId: '', ledgers: [], wallets: [], templates: [] },
    demo: { wallets, isComplete: true },
  };
  const tools = { newPassword: () => 'secret', show: () => undefined, unserved: [] };
  const demo = await startDemo(caller, { file, path: join(folder.path, 'dev.json') }, tools);
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/bookkeeping$/);
  expect(changes).toEqual([['/v1/webhooks/w1', { url, status: 'ENABLED' }]]);
  await demo[Symbol.asyncDispose]();
  expect(changes.slice(1)).toEqual([['/v1/webhooks/w1', { status: 'DISABLED' }]]);
});
