import { createHash, randomBytes } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { type AuthConfig, type BootstrapResult, bootstrap } from '@ledger-ops/auth';
import { Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';

const fileSchema = z.looseObject({
  baseUrl: z.string(),
  applicationToken: z.string(),
  apiToken: z.string(),
});

/**
 * Initializes an empty database. The first administrator's credentials come from the environment, or are
 * generated and written to `administrator.json` (mode 0600) in the data folder, never to the log. The file is
 * written before they are stored in the database, so that a crash cannot lose them. At later starts, updates
 * the file's base URL.
 */
export async function firstStart(options: {
  store: Store;
  config: AuthConfig;
  dataDir: string;
  given: Credentials | undefined;
}): Promise<BootstrapResult> {
  const { store, config, dataDir, given } = options;
  if (given !== undefined) return await bootstrap({ store, config, credentials: given });
  const file = join(dataDir, 'administrator.json');
  const pending = `${file}.new`;
  const credentials = (await readPending(pending)) ?? (await writePending(pending, config.baseUrl));
  const result = await bootstrap({ store, config, credentials });
  if (result.administrator !== null) {
    await rename(pending, file);
    return result;
  }
  // A draft whose credentials are in the database is valid: an earlier start stopped between commit and
  // rename. Any other draft is replaced.
  if (await isApplicationToken(store, credentials.applicationToken)) {
    await rename(pending, file);
  } else {
    await rm(pending, { force: true });
  }
  await updateBaseUrl(file, config.baseUrl);
  return result;
}

/** Does nothing if the file is missing or was not written by a server. */
async function updateBaseUrl(file: string, baseUrl: string): Promise<void> {
  const document = await readDocument(file);
  if (document === undefined || document.baseUrl === baseUrl) return;
  const changed = `${file}.${process.pid}`;
  await writeDocument(changed, { ...document, baseUrl });
  await rename(changed, file);
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
  const document = await readDocument(path);
  if (document === undefined) return undefined;
  const { applicationToken, apiToken } = document;
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}

async function readDocument(path: string): Promise<z.infer<typeof fileSchema> | undefined> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

async function writeDocument(path: string, document: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
}

async function writePending(path: string, baseUrl: string): Promise<Credentials> {
  const applicationToken = `app_${randomBytes(32).toString('base64url')}`;
  const apiToken = `sak_${randomBytes(32).toString('base64url')}`;
  await writeDocument(path, {
    baseUrl,
    clientId: 'administration',
    serviceAccount: 'administrator',
    applicationToken,
    apiToken,
  });
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}
