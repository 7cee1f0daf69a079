// Generated from the document: an operation that is added leaves a record, or this test says why it leaves none.
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

/** Operations that are not GET and leave no record, and why. */
const silent: Record<string, string> = {
  emulate: 'it runs nothing',
  gatewayEmulate: 'it runs nothing',
  searchActions: 'a search, by its body',
  searchIntents: 'a search, by its body',
  issueToken: 'a token is no record, and changes none',
  authenticateUser: 'it checks a password, and starts no session',
  validateServiceAccountCredentials: 'it checks a credential',
  authorizeLogin: 'the form of a page: it does what `login` does',
  authorizeLogout: 'the form of a page: it does what `logout` does',
  authorizeDecision: 'the form of a page; auth tests the record of the consent',
  revokeToken: 'by who bears the token; auth tests the record of the end of a family',
};

let here: Installation;
let tenant: Tenant;
let admin: Api;
let steps: Step[];
/** operationId → service, of what is not GET. */
let operations: Map<string, string>;
const secrets = new Set<string>();

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: pluginUrl, PLUGINS_TRUSTED: pluginUrl });
  tenant = await addTenant(here.url, here.administrator, 'one');
  admin = await logIn(here.url, here.administrator);
  const ground = { here, tenant, admin };
  steps = [...(await administrationSteps(ground)), ...(await recordSteps(ground))];
  const { paths } = await documentOf();
  operations = new Map(
    Object.values(paths)
      .flatMap((item) => Object.entries(item))
      .filter(([method]) => method !== 'get')
      .map(([, { operationId, tags }]) => [operationId, tags?.[0] ?? '']),
  );
});
afterAll(() => here.close());

async function recorded(service: string, action: string): Promise<Recorded[]> {
  const path = `/v1/timeline/services/${service}/actions/${action}?from=2020-01-01T00:00:00Z`;
  return await admin.expect(200, 'GET', path);
}

test('every operation that is not GET is tried, or has its reason', () => {
  const known = [...steps.map(({ operationId }) => operationId), ...Object.keys(silent)];
  expect(known.toSorted()).toEqual([...operations.keys()].toSorted());
});

test('what an operation changes is in the timeline, of its resource and by its caller', async () => {
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
  }
  expect(missing).toEqual([]);
}, 300_000);

test('no record tells a secret', async () => {
  expect(secrets.size).toBeGreaterThan(6);
  const rows = JSON.stringify(await here.server.store.read.all('SELECT * FROM timeline'));
  for (const secret of secrets) expect(rows).not.toContain(secret);
});
