import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const answerSchema = z.object({ ledgers: z.array(z.string()).optional() });
const patience = 10_000;
/** Milliseconds between two looks: less than a plugin takes to be started again. */
const interval = 250;

const addressOf = (url: string) => `${url}/v1/cloud-wallet`;

/** @throws Error when nothing answers there */
async function describe(url: string, signal: AbortSignal): Promise<unknown> {
  return await (await fetch(addressOf(url), { redirect: 'error', signal })).json();
}

/**
 * The first ledger that a remote plugin says that it serves; undefined where it serves any.
 * @throws ConfigError when nothing answers there, or nothing that is a plugin
 */
export async function ledgerOfRemote(url: string): Promise<string | undefined> {
  try {
    return answerSchema.parse(await describe(url, AbortSignal.timeout(patience))).ledgers?.[0];
  } catch {
    throw new ConfigError(`--plugin ${url}: no plugin answers at ${addressOf(url)}. Start it.`);
  }
}

/** Waits until a remote plugin says something else of itself, or is there again. False: `stop` came first. */
export async function nextDescription(url: string, stop: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  stop.then(() => over.abort());
  const look = () =>
    describe(url, AbortSignal.any([over.signal, AbortSignal.timeout(patience)])).then(
      (said) => JSON.stringify(said),
      () => undefined,
    );
  let former = await look();
  while (!over.signal.aborted) {
    await wait(interval, undefined, { signal: over.signal }).catch(() => undefined);
    const said = await look();
    if (said !== undefined && said !== former) return !over.signal.aborted;
    former = said;
  }
  return false;
}
