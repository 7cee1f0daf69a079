// Generated from the OpenAPI document: every operation leaves a timeline record, or this file states why it
// does not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, addTenant, type Installation, install, logIn, type Tenant } from '../stage/api.ts';
import { documentOf } from '../stage/document-of-routes.ts';
import { administrationSteps } from './timeline-administration.ts';
import { recordSteps } from './timeline-records.ts';
import { pluginUrl, type Step } from './timeline-steps.ts';

interface Recorded {
  readonly pubsubMessageID: string;
  readonly resourceID: string;
  readonly identity: string;
  readonly targetObject: string;
}

/** Operations that are not GET and leave no record, with reasons. */
const silent: Record<string, string> = {
  emulate: 'it runs nothing',
  gatewayEmulate: 'it runs nothing',
  searchActions: 'a search, by its body',
  searchIntents: 'a search, by its body',
  issueToken: 'a token is not a record',
  authenticateUser: 'it checks a password, and starts no session',
  validateServiceAccountCredentials: 'it checks a credential',
  authorizeLogin: 'the form of a page: it does what `login` does',
  authorizeLogout: 'the form of a page: it does what `logout` does',
  authorizeDecision: 'the form of a page; auth tests the record of the consent',
  revokeToken: 'the token identifies the caller; tests of auth cover the record',
};

/** Updates that change no value that a record shows, with reasons. */
const withoutValues: Record<string, string> = {
  setOrganizationImage: 'an image',
  setAppImage: 'an image',
  setIdentityImage: 'an image',
  adminSetOrganizationImage: 'an image',
  adminSetAppImage: 'an image',
  adminSetIdentityImage: 'an image',
  setAppRole: 'a grant: the role and its holder are the target',
  adminSetAppRole: 'a grant: the role and its holder are the target',
  respondToInvitation: 'an answer, which is the action',
  changeWalletPassword: 'a secret',
};

type Changes = { readonly name: string; readonly from?: string | null; readonly to?: string | null }[];

/** Changed values in the timeline, by the operationId of the update. */
const changesOf = new Map<string, Changes>();
let here: Installation;
let tenant: Tenant;
let admin: Api;
let steps: Step[];
/** operationId → service, of operations that are not GET. */
let operations: Map<string, string>;
/** operationIds of updates. */
let updates: Set<string>;
const secrets = new Set<string>();

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: pluginUrl, PLUGINS_TRUSTED: pluginUrl });
  tenant = await addTenant(here.url, here.administrator, 'one');
  admin = await logIn(here.url, here.administrator);
  const ground = { here, tenant, admin };
  steps = [...(await administrationSteps(ground)), ...(await recordSteps(ground))];
  const { paths } = await documentOf();
  const documented = Object.values(paths).flatMap((item) => Object.entries(item));
  const of = (method: string) => documented.filter(([its]) => its === method);
  updates = new Set([...of('put'), ...of('patch')].map(([, { operationId }]) => operationId));
  operations = new Map(
    documented
      .filter(([method]) => method !== 'get')
      .map(([, { operationId, tags }]) => [operationId, tags?.[0] ?? '']),
  );
});
afterAll(() => here.close());

async function recorded(service: string, action: string): Promise<Recorded[]> {
  const path = `/v1/timeline/services/${service}/actions/${action}?from=2020-01-01T00:00:00Z`;
  return await admin.expect(200, 'GET', path);
}

test('every operation that is not GET has a test of its timeline record, or a reason for having none', () => {
  const known = [...steps.map(({ operationId }) => operationId), ...Object.keys(silent)];
  expect(known.toSorted()).toEqual([...operations.keys()].toSorted());
});

test('the timeline records what each operation changes, with its resource and caller', async () => {
  const missing: string[] = [];
  for (const { operationId, action, run, ...step } of steps) {
    const service = step.service ?? operations.get(operationId) ?? '';
    const before = new Set((await recorded(service, action)).map(({ pubsubMessageID }) => pubsubMessageID));
    const { resource = '', secrets: told = [] } = await run();
    for (const secret of told) if (secret) secrets.add(secret);
    const added = (await recorded(service, action)).filter((one) => !before.has(one.pubsubMessageID));
    const path = `/v1/timeline/resources/${encodeURIComponent(resource)}`;
    const ofResource = await admin.expect<Recorded[]>(200, 'GET', path);
    const ids = new Set(ofResource.map(({ pubsubMessageID }) => pubsubMessageID));
    const found = added.filter((one) => ids.has(one.pubsubMessageID) && one.identity !== '');
    if (found.length !== 1) missing.push(`${operationId}: ${found.length} records ${action} of ${resource}`);
    if (!updates.has(operationId)) continue;
    const [first] = found;
    const query = new URLSearchParams({ service, action, order: 'newest', resourceId: resource });
    const { items } = await admin.expect<{ items: { activityId: string; changes: Changes }[] }>(
      ...([200, 'GET', `/v1/admin/timeline?${query}`] as const),
    );
    const its = items.find(({ activityId }) => activityId === first?.pubsubMessageID);
    changesOf.set(operationId, its?.changes ?? []);
  }
  expect(missing).toEqual([]);
}, 300_000);

test('the record of every update names the changed values, or this file states why not', () => {
  const silentUpdates = [...changesOf].filter(([, changes]) => changes.length === 0);
  const reasons = Object.keys(withoutValues);
  expect(silentUpdates.map(([operationId]) => operationId).toSorted()).toEqual(reasons.toSorted());
  expect(changesOf.get('adminUpdateLedger')).toEqual([{ name: 'name', from: 'C', to: 'D' }]);
  expect(changesOf.get('updateWebhook')).toEqual([{ name: 'description', from: null, to: 'mine' }]);
  expect(changesOf.get('adminSetKeyStatus')).toEqual([{ name: 'status', from: 'ENABLED', to: 'DISABLED' }]);
  // Values of an identity's configuration may be secrets of applications.
  expect(changesOf.get('adminSetIdentityConfig')).toEqual([{ name: 'a' }]);
});

test('no timeline record contains a secret', async () => {
  expect(secrets.size).toBeGreaterThan(6);
  const rows = JSON.stringify(await here.server.store.read.all('SELECT * FROM timeline'));
  for (const secret of secrets) expect(rows).not.toContain(secret);
});
