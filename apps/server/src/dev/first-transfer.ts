import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from '@hono/zod-openapi';
import type { Caller } from './caller.ts';
import type { DevFile } from './dev-file.ts';

const actionSchema = z.object({
  status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
  locator: z.string().nullable(),
  pending: z.object({ stage: z.string(), detail: z.string() }).optional(),
  problem: z.object({ detail: z.string() }).optional(),
});

/** How long a transfer on the development chain may take, in milliseconds. */
const patience = 60_000;
const interval = 50;

/** Sends 0.01 ether through the service's own API and shows it on its way. True when it SUCCEEDED. */
export async function firstTransfer(
  caller: Caller,
  wallets: DevFile['wallets'],
  show: (line: string) => void,
): Promise<boolean> {
  const [from, to] = wallets;
  if (from === undefined || to === undefined) throw new TypeError('A transfer needs two wallets.');
  const accepted = await caller.call('POST', '/v1/ledger-ops/send', {
    walletId: from.walletId,
    walletPassword: from.walletPassword,
    intent: randomUUID(),
    tag: 'first transfer',
    dependencies: [],
    glo: transferGlo(to.walletId),
  });
  const { actionId } = z.object({ actionId: z.string() }).parse(accepted);
  show(`transfer of 0.01 ether from ${from.walletId} to ${to.walletId}: action ${actionId}`);
  const end = Date.now() + patience;
  let shown = '';
  while (Date.now() < end) {
    const action = actionSchema.parse(await caller.call('GET', `/v1/ledger-ops/search/actions/${actionId}`));
    const { status, locator, pending, problem } = action;
    const detail =
      pending === undefined ? (problem?.detail ?? locator ?? '') : `${pending.stage}, ${pending.detail}`;
    const line = `  ${status}${detail === '' ? '' : `  ${detail}`}`;
    if (line !== shown) show(line);
    shown = line;
    if (status !== 'PENDING') return status === 'SUCCEEDED';
    await wait(interval);
  }
  show(`  still pending after ${patience / 1000} seconds`);
  return false;
}

/** A transfer of 0.01 ether to a wallet of the service. */
export function transferGlo(walletId: string) {
  return {
    version: '0.1.0',
    type: 'transfer',
    options: {
      recipient: { lookup_service: { type: 'service', value: 'service' }, resource: walletId },
      amount: '10000000000000000',
    },
  };
}
