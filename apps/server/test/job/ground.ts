import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningServer } from '../../src/server.ts';
import { addTenant } from '../stage/tenant.ts';

/** Id of the project that contains all records of a job. */
export const jobProject = 'job-project';

/** File of the client's credentials in the data folder. */
export const clientFile = 'credentials.json';

/** Credentials in the form of a development server's file. */
export interface Credentials {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly clientSecret: string;
}

/**
 * Returns the account that owns the job's project. Reuses the account of an earlier start on this folder, or
 * creates it.
 */
export async function ensureAccount({ url }: RunningServer, dataDir: string): Promise<Credentials> {
  const path = join(dataDir, clientFile);
  const read = async (from: string) => JSON.parse(await readFile(from, 'utf8'));
  try {
    return { ...(await read(path)), baseUrl: url };
  } catch {
    const { applicationToken, clientId, serviceAccount, apiToken } = await read(
      join(dataDir, 'administrator.json'),
    );
    const administrator = { applicationToken, appId: clientId, accountId: serviceAccount, apiToken };
    const tenant = await addTenant(url, administrator, 'job');
    const credentials = {
      baseUrl: url,
      applicationToken: tenant.applicationToken,
      clientId: tenant.appId,
      serviceAccount: tenant.accountId,
      clientSecret: tenant.apiToken,
    };
    await writeFile(path, JSON.stringify(credentials), { mode: 0o600 });
    return credentials;
  }
}

/** Creates the job's ledger, with only the node at `rpcUrl`. */
export async function ensureLedger(
  { store, auth, registry }: RunningServer,
  rpcUrl: string,
  confirmations = 1,
): Promise<void> {
  const ledgerId = 'dev-ethereum';
  const project = await auth.projectByProjectId(jobProject);
  if (project === null) throw new TypeError('The project is made before its ledger.');
  const known = await registry.ledgerByLedgerId(ledgerId);
  await store.transaction(async (tx) => {
    if (known === null) {
      await registry.createLedger(tx, {
        ledgerId,
        projectUid: project.uid,
        parentResourceUid: project.uid,
        name: 'Chain of the job',
        technology: 'ethereum',
        properties: {
          ...{ chain_id: 31_337, confirmations, development: true },
          ...{ max_in_flight: 100_000, polling_interval: 50 },
        },
        nodes: [{ name: 'anvil', uri: rpcUrl }],
      });
      return;
    }
    if (known.nodes.length === 1 && known.nodes.every(({ uri }) => uri === rpcUrl)) return;
    await registry.addNode(tx, known.uid, { name: 'anvil', uri: rpcUrl });
    for (const { uid } of known.nodes) await registry.removeNode(tx, uid);
  });
}
