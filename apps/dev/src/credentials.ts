import { ConfigError, type RunningServer } from '@ledger-ops/server';
import { CallError, type Caller, type Credentials, openCaller } from './caller.ts';

/** Ids of the records that the development server creates. */
export const devIds = {
  organization: 'dev-organization',
  project: 'dev',
  app: 'dev-app',
  account: 'dev-account',
  ledger: 'dev-ethereum',
  fabricLedger: 'dev-fabric',
  solanaLedger: 'dev-solana',
} as const;

/** Reuses the credentials of an earlier start if they are valid; otherwise creates new ones. */
export async function ensureCredentials(
  server: RunningServer,
  former: Credentials | null,
): Promise<{ credentials: Credentials; caller: Caller }> {
  if (former !== null) {
    await grantRoles(server);
    const credentials = { ...former, baseUrl: server.url };
    try {
      return { credentials, caller: await openCaller(credentials) };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  }
  const credentials = await issueCredentials(server);
  await grantRoles(server);
  return { credentials, caller: await openCaller(credentials) };
}

/** Creates organization, project, application and service account if missing, and new credentials. */
async function issueCredentials({ store, auth, url }: RunningServer): Promise<Credentials> {
  const project = await auth.projectByProjectId(devIds.project);
  if (project === null) await demandOwnDatabase(store);
  const [administrator] = await store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account ORDER BY id LIMIT 1',
  );
  // Several records can have the id; the oldest was created by an earlier start.
  const [app] = await store.read.all<{ uid: string }>(
    'SELECT uid FROM app WHERE app_id = $1 ORDER BY id LIMIT 1',
    [devIds.app],
  );
  const [known] = await store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account WHERE account_id = $1 ORDER BY id LIMIT 1',
    [devIds.account],
  );
  const issued = await store.transaction(async (tx) => {
    let appUid = app?.uid;
    let serviceId = known?.service_id;
    if (project === null || appUid === undefined || serviceId === undefined) {
      const organization = await auth.createOrganization(tx, {
        organizationId: devIds.organization,
        name: 'Development',
      });
      const { uid } = await auth.createProject(tx, {
        projectId: devIds.project,
        organizationUid: organization.uid,
        name: 'Development',
      });
      const account = await auth.createServiceAccount(tx, {
        accountId: devIds.account,
        projectUid: uid,
        name: 'Development',
        createdBy: administrator?.service_id ?? '',
      });
      serviceId = account.serviceId;
      const holder = { identity: serviceId };
      await auth.assignRole(tx, { holder, role: 'owner', resourceUid: uid });
      appUid = (await auth.createApp(tx, { appId: devIds.app, projectUid: uid, name: 'Development' })).uid;
    }
    const applicationToken = await auth.issueAppToken(tx, appUid);
    const { apiToken } = await auth.createApiToken(tx, serviceId);
    return { applicationToken, apiToken };
  });
  return {
    baseUrl: url,
    applicationToken: issued.applicationToken.reveal(),
    clientId: devIds.app,
    serviceAccount: devIds.account,
    clientSecret: issued.apiToken.reveal(),
  };
}

/** @throws ConfigError if the database belongs to another installation, which must not get development credentials */
async function demandOwnDatabase(store: RunningServer['store']): Promise<void> {
  const [other] = await store.read.all<{ organization_id: string }>(
    "SELECT organization_id FROM organization WHERE organization_id <> 'administration' ORDER BY id LIMIT 1",
    [],
  );
  if (other === undefined) return;
  throw new ConfigError(
    `DATABASE_URL or DATA_DIR: the database contains the organization ${other.organization_id} but no development project. Set one of these settings to a separate database for npm start.`,
  );
}

/**
 * Makes the account and its application owners of the organization, so that one account is permitted to do
 * everything in it.
 */
async function grantRoles({ store, auth }: RunningServer): Promise<void> {
  const project = await auth.projectByProjectId(devIds.project);
  const [app] = await store.read.all<{ uid: string }>(
    'SELECT uid FROM app WHERE app_id = $1 ORDER BY id LIMIT 1',
    [devIds.app],
  );
  const [account] = await store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account WHERE account_id = $1 ORDER BY id LIMIT 1',
    [devIds.account],
  );
  if (project === null || app === undefined || account === undefined) return;
  const resourceUid = project.organizationUid;
  await store.transaction(async (tx) => {
    await auth.assignRole(tx, { holder: { identity: account.service_id }, role: 'owner', resourceUid });
    await auth.assignRole(tx, { holder: { app: app.uid }, role: 'application', resourceUid });
  });
}

/** Returns the id of the project's organization. Databases of earlier versions use another id. */
export async function organizationIdOf({ store }: RunningServer): Promise<string> {
  const [found] = await store.read.all<{ organization_id: string }>(
    'SELECT o.organization_id FROM organization o JOIN project p ON p.organization_uid = o.uid WHERE p.project_id = $1 ORDER BY p.id LIMIT 1',
    [devIds.project],
  );
  return found?.organization_id ?? devIds.organization;
}

/** Creates or updates the development ledger. Its only node is at `rpcUrl`. */
export async function ensureLedger(
  { store, auth, registry }: RunningServer,
  rpcUrl: string,
  chainId: number,
) {
  const project = await auth.projectByProjectId(devIds.project);
  if (project === null) throw new TypeError('The development project does not exist yet.');
  const known = await registry.ledgerByLedgerId(devIds.ledger);
  await store.transaction(async (tx) => {
    if (known === null) {
      await registry.createLedger(tx, {
        ledgerId: devIds.ledger,
        projectUid: project.uid,
        parentResourceUid: project.uid,
        name: 'Development chain',
        technology: 'ethereum',
        properties: {
          chain_id: chainId,
          confirmations: 1,
          development: true,
          max_in_flight: 100_000,
          polling_interval: 50,
        },
        nodes: [{ name: 'anvil', uri: rpcUrl }],
      });
      return;
    }
    if (known.nodes.every(({ uri }) => uri === rpcUrl) && known.nodes.length === 1) return;
    await registry.addNode(tx, known.uid, { name: 'anvil', uri: rpcUrl });
    for (const { uid } of known.nodes) await registry.removeNode(tx, uid);
  });
}
