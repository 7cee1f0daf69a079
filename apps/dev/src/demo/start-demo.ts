import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { devIds } from '../credentials.ts';
import { type DevFile, writeDevFile } from '../dev-file.ts';
import { ensureWallet } from '../seed.ts';
import { DemoActivity } from './activity.ts';
import { company, type DevWallet, type Wallets } from './company.ts';
import { sendHistory } from './history.ts';
import { operationsOf } from './operations.ts';
import { openWebhookReceiver } from './webhook-receiver.ts';

interface Tools {
  readonly newPassword: () => string;
  readonly show: (line: string) => void;
  /** Ledgers that this platform cannot run. */
  readonly unserved: readonly string[];
}

/**
 * Adds an example company through the public API, and sends its operations at a limited rate until it is
 * disposed. At the first start, also sends its history.
 */
export async function startDemo(
  caller: Caller,
  { file, path }: { readonly file: DevFile; readonly path: string },
  { newPassword, show, unserved }: Tools,
): Promise<AsyncDisposable> {
  const parts = new AsyncDisposableStack();
  const receiver = parts.use(await openWebhookReceiver());
  const wallets = await ensureCompanyWallets(caller, file, newPassword);
  file.demo = { wallets: [...wallets.values()], isComplete: file.demo?.isComplete ?? false };
  await writeDevFile(path, file);
  const webhookId = await ensureWebhook(caller, receiver.url);
  parts.defer(() => disableWebhook(caller, webhookId));
  if (!file.demo.isComplete) {
    show('Demo: sending the history of an example company (about 20 seconds) …');
    await sendHistory(caller, file, wallets);
    file.demo.isComplete = true;
    await writeDevFile(path, file);
  }
  show(
    `Demo: ${company.wallets.length} wallets, 2 contracts, a webhook, and a new operation every 5 seconds.`,
  );
  const start = Date.now().toString(36);
  parts.use(new DemoActivity(caller, operationsOf(file, wallets, unserved, start), show));
  return parts;
}

async function ensureCompanyWallets(
  caller: Caller,
  { demo }: DevFile,
  newPassword: () => string,
): Promise<Wallets> {
  const wallets = new Map<string, DevWallet>();
  for (const name of company.wallets)
    wallets.set(name, await ensureWallet(caller, devIds.ledger, name, demo?.wallets ?? [], { newPassword }));
  return wallets;
}

const webhooksSchema = z.object({
  webhooks: z.array(z.object({ id: z.string(), description: z.string().nullable() })),
});
const createdSchema = z.object({ id: z.string() });

/** Creates the demo's webhook or updates its URL, because the receiver's port differs at each start. Returns its id. */
async function ensureWebhook(caller: Caller, url: string): Promise<string> {
  const { webhooks } = webhooksSchema.parse(await caller.call('GET', '/v1/webhooks'));
  const known = webhooks.find(({ description }) => description === company.webhook);
  if (known === undefined) {
    const created = await caller.call('POST', '/v1/webhooks', { url, description: company.webhook });
    return createdSchema.parse(created).id;
  }
  await caller.call('PUT', `/v1/webhooks/${known.id}`, { url, status: 'ENABLED' });
  return known.id;
}

/** Disables the demo's webhook, so that a later start without the demo does not report an unreachable receiver. */
async function disableWebhook(caller: Caller, webhookId: string): Promise<void> {
  // The demo may be ending because the server failed.
  await caller.call('PUT', `/v1/webhooks/${webhookId}`, { status: 'DISABLED' }).catch(() => undefined);
}
