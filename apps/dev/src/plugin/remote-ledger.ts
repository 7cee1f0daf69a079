import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const answerSchema = z.object({ ledgers: z.array(z.string()).optional() });
const patience = 10_000;

/**
 * The first ledger that a remote plugin says that it serves; undefined where it serves any.
 * @throws ConfigError when nothing answers there, or nothing that is a plugin
 */
export async function ledgerOfRemote(url: string): Promise<string | undefined> {
  const address = `${url}/v1/cloud-wallet`;
  try {
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(patience) });
    return answerSchema.parse(await response.json()).ledgers?.[0];
  } catch {
    throw new ConfigError(`--plugin ${url}: no plugin answers at ${address}. Start it first.`);
  }
}
