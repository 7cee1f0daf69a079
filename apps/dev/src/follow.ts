import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Caller } from './caller.ts';

const acceptedSchema = z.object({ actionId: z.string() });
const statusSchema = z.enum(['PENDING', 'SUCCEEDED', 'FAILED']);
const actionSchema = z.object({
  status: statusSchema,
  locator: z.string().nullable(),
  pending: z.object({ stage: z.string(), detail: z.string() }).optional(),
  problem: z.object({ detail: z.string() }).optional(),
});

export type Status = z.infer<typeof statusSchema>;

/** How long an operation on a development ledger may take, in milliseconds. */
const timeoutMs = 60_000;
const interval = 50;

/** Sends an operation through the service's own API. Returns the action's id. */
export async function send(caller: Caller, body: Record<string, unknown>): Promise<string> {
  return acceptedSchema.parse(await caller.call('POST', '/v1/ledger-ops/send', body)).actionId;
}

/** Prints an action's progress until it is final, `over` resolves or a minute has passed. Returns its status. */
export async function follow(
  caller: Caller,
  actionId: string,
  show: (line: string) => void,
  over?: Promise<unknown>,
): Promise<Status> {
  const end = Date.now() + timeoutMs;
  let isOver = false;
  over?.then(() => {
    isOver = true;
  });
  let shown = '';
  while (Date.now() < end && !isOver) {
    const action = actionSchema.parse(await caller.call('GET', `/v1/ledger-ops/search/actions/${actionId}`));
    const { status, locator, pending, problem } = action;
    const detail = pending === undefined ? (problem?.detail ?? locator ?? '') : pending.detail;
    const line = `  ${status}${detail === '' ? '' : `  ${detail}`}`;
    if (line !== shown) show(line);
    shown = line;
    if (status !== 'PENDING') return status;
    await wait(interval);
  }
  if (!isOver) show(`  still pending after ${timeoutMs / 1000} seconds`);
  return 'PENDING';
}
