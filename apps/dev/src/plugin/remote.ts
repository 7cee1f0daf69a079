import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const answerSchema = z.object({ ledgers: z.array(z.string()).optional() });
const requestTimeoutMs = 10_000;
/** Milliseconds between polls: less than a plugin takes to restart. */
const interval = 250;

const addressOf = (url: string) => `${url}/v1/cloud-wallet`;

/** @throws Error if the URL does not respond */
async function describe(url: string, signal: AbortSignal): Promise<unknown> {
  return await (await fetch(addressOf(url), { redirect: 'error', signal })).json();
}

/**
 * Returns the first ledger that a remote plugin serves; undefined if it serves any.
 * @throws ConfigError if no plugin responds at the URL
 */
export async function ledgerOfRemote(url: string): Promise<string | undefined> {
  try {
    return answerSchema.parse(await describe(url, AbortSignal.timeout(requestTimeoutMs))).ledgers?.[0];
  } catch {
    throw new ConfigError(`--plugin ${url}: no plugin answers at ${addressOf(url)}. Start it.`);
  }
}

/**
 * Waits until a remote plugin returns another description, or responds again after an outage. Returns false if
 * `stop` resolves first.
 */
export async function nextDescription(url: string, stop: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  stop.then(() => over.abort());
  const read = () =>
    describe(url, AbortSignal.any([over.signal, AbortSignal.timeout(requestTimeoutMs)])).then(
      (said) => JSON.stringify(said),
      () => undefined,
    );
  let former = await read();
  while (!over.signal.aborted) {
    await wait(interval, undefined, { signal: over.signal }).catch(() => undefined);
    const said = await read();
    if (said !== undefined && said !== former) return !over.signal.aborted;
    former = said;
  }
  return false;
}
