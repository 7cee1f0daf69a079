import { createHash, randomBytes } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { type AuthConfig, type BootstrapResult, bootstrap } from '@ledger-ops/auth';
import { Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';

const fileSchema = z.object({ applicationToken: z.string(), apiToken: z.string() });

/**
 * Initializes an empty database. The first administrator's credentials come from the environment, or are generated and
 * written to `administrator.json` (mode 0600) in the data folder; never to the log. The file is written before the
 * database contains them, so that no crash loses them.
 */
export async function firstStart(options: {
  store: Store;
  config: AuthConfig;
  dataDir: string;
  given: Credentials | undefined;
}): Promise<BootstrapResult> {
  const { store, config, dataDir, given } = options;
  if (given !== undefined) return await bootstrap({ store, config, credentials: given });
  const pending = join(dataDir, 'administrator.json.new');
  const credentials = (await readPending(pending)) ?? (await writePending(pending, config.baseUrl));
  const result = await bootstrap({ store, config, credentials });
  if (result.administrator !== null) {
    await rename(pending, join(dataDir, 'administrator.json'));
    return result;
  }
  // If an earlier start stopped between commit and rename, its draft is valid; any other draft is replaced.
  if (await isApplicationToken(store, credentials.applicationToken)) {
    await rename(pending, join(dataDir, 'administrator.json'));
  } else {
    await rm(pending, { force: true });
  }
  return result;
}

interface Credentials {
  applicationToken: Secret;
  apiToken: Secret;
}

async function isApplicationToken(store: Store, token: Secret): Promise<boolean> {
  const hash = createHash('sha256').update(token.reveal()).digest('hex');
  return (await store.read.all('SELECT uid FROM app WHERE token_hash = $1', [hash])).length > 0;
}

async function readPending(path: string): Promise<Credentials | undefined> {
  try {
    const { applicationToken, apiToken } = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
  } catch {
    return undefined;
  }
}

async function writePending(path: string, baseUrl: string): Promise<Credentials> {
  const applicationToken = `app_${randomBytes(32).toString('base64url')}`;
  const apiToken = `sak_${randomBytes(32).toString('base64url')}`;
  const document = {
    baseUrl,
    clientId: 'administration',
    serviceAccount: 'administrator',
    applicationToken,
    apiToken,
  };
  await writeFile(path, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}
