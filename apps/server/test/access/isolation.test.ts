// Generated from the OpenAPI document: a new operation is covered automatically, or this test reports what is
// missing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  type Api,
  addTenant,
  headersOf,
  type Installation,
  install,
  logIn,
  type Tenant,
} from '../stage/api.ts';
import { documentOf } from '../stage/document-of-routes.ts';
import { likeIt, recordsOf } from './isolation-records.ts';
import {
  type DocumentedOperation,
  fill,
  type Ids,
  type RequestTemplate,
  type Schemas,
  templatesOf,
} from './isolation-requests.ts';
import { changesOf, rowsAbout } from './isolation-snapshot.ts';
import { type Told, tellsNothing, withoutFigures } from './nothing-told.ts';

/** The caller that uses the victim's ids. */
interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Records of the caller that correspond to the victim's; null if there are none. */
  readonly own: Ids | null;
}

let here: Installation;
let victim: Tenant;
let admin: Api;
let operations: DocumentedOperation[];
let schemas: Schemas;
/** Ids of the victim's records by parameter and member names, and unused ids of the same form. */
let taken: Ids;
let invented: Ids;
let callers: Caller[];
let rowsBefore: Map<string, readonly string[]>;
let seenBefore: Map<string, string>;

/** A string that every free text of the victim contains. */
const marker = 'victimized';

const sent = ['intent'];
/**
 * Members that contain the id of the record to create. They never get an id of the victim: the caller's new
 * record would then be mistaken for the victim's. Other tests check what a taken id reveals.
 */
const chosen: Readonly<Record<string, readonly string[]>> = {
  adminCreateAccount: ['accountId', 'email'],
  adminCreateApp: ['appId'],
  adminCreateExplorer: ['explorerId'],
  adminCreateLedger: ['ledgerId', 'nodeId'],
  adminCreateNode: ['nodeId'],
  adminCreateOrganization: ['organizationId'],
  adminCreateProject: ['projectId'],
  // An inviter may name any person.
  adminInvite: ['email'],
  contractCall: sent,
  contractCallAlternative: sent,
  createApp: ['appId'],
  createContractTemplate: ['templateId'],
  createExplorer: ['explorerID'],
  createLedger: ['ledgerID', 'nodeID'],
  createNode: ['nodeID'],
  createOrganization: ['organizationID'],
  createProject: ['projectID'],
  createResource: ['id'],
  createServiceAccount: ['accountId', 'email'],
  createTemplate: ['contractTemplateID'],
  createWallet: ['walletId'],
  deploySmartContract: ['id'],
  // A caller that may read the ledger may look up any transaction on it, as anyone can at a node.
  gatewaySearchTransaction: ['locator'],
  gatewaySendAction: sent,
  gatewaySendPluginAction: sent,
  callContractMethod: sent,
  ledgerCall: sent,
  legacyCreatePlugin: ['pluginId'],
  registerContract: ['contractId'],
  registerSmartContract: ['contractInstanceID'],
  send: sent,
  sendTransaction: sent,
};

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' });
  const { url, administrator } = here;
  admin = await logIn(url, administrator);
  victim = await addTenant(url, administrator, marker);
  const stranger = await addTenant(url, administrator, 'stranger');
  taken = await recordsOf(here, victim, marker);
  const others = new Map(Object.values(taken).map((id) => [id, likeIt(id, marker)]));
  invented = Object.fromEntries(Object.entries(taken).map(([name, id]) => [name, others.get(id) ?? id]));
  const everyCaller = [
    {
      name: 'the owner of another organization',
      headers: stranger.headers,
      own: await recordsOf(here, stranger, 'stranger'),
    },
    {
      name: 'an account without a role, elsewhere',
      headers: await withoutRole(stranger, 'loner'),
      own: null,
    },
    {
      name: 'an account without a role, of the same project',
      headers: await withoutRole(victim, 'inmate'),
      own: null,
    },
  ];

  callers = [...selectCases(everyCaller, ({ own }) => own !== null)];
  const document = await documentOf();
  // Parameters that JSON Schema cannot express.
  schemas = document.components.schemas as Schemas;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  seenBefore = await everythingSeen();
  rowsBefore = await rowsAbout(here, [marker, ...Object.values(taken)]);
}, 180_000);
afterAll(() => here?.close());

/** Returns an account in a tenant's project that uses the tenant's application and holds no role. */
async function withoutRole(tenant: Tenant, accountId: string): Promise<Record<string, string>> {
  await admin.expect(201, 'POST', '/v1/service-accounts', {
    ...{ name: accountId, accountId, project: { projectID: tenant.projectId } },
  });
  const { apiToken = '' } = await admin.expect(201, 'POST', `/v1/service-accounts/${accountId}/api-tokens`);
  return await headersOf(here.url, { ...tenant, accountId, apiToken });
}

async function ask(
  one: DocumentedOperation,
  caller: Pick<Caller, 'headers'>,
  request: ReturnType<typeof fill>,
) {
  const { target, body } = request;
  const response = await fetch(here.url + target, {
    method: one.method,
    signal: AbortSignal.timeout(30_000),
    headers: { ...caller.headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // The stream sends nothing until something happens.
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? '[]' : await response.text() };
}

const isProtected = ({ operation }: DocumentedOperation) => operation.security.length > 0;
const nameOf = ({ method, path, operation }: DocumentedOperation) =>
  `${method} ${path} (${operation.operationId})`;

/** Returns the victim's records, as the victim and the administrator see them. */
async function everythingSeen(): Promise<Map<string, string>> {
  const administrator = { headers: await headersOf(here.url, here.administrator) };
  const seen = new Map<string, string>();
  for (const one of operations.filter(({ method }) => method === 'GET')) {
    if (!isProtected(one) || one.path.endsWith('/events')) continue;
    for (const request of templatesOf(one, taken, schemas)) {
      for (const [who, caller] of [
        ['victim', victim],
        ['administrator', administrator],
      ] as const) {
        // The administrator sees changes of other tenants in listings of all records.
        if (who === 'administrator' && request.places.length === 0) continue;
        const filled = fill(request, (name) => taken[name] ?? '');
        const { status, text } = await ask(one, caller, filled);
        seen.set(`${who} ${nameOf(one)} ${filled.target}`, `${status} ${withoutFigures(text)}`);
      }
    }
  }
  return seen;
}

/** Removes the ids from responses to requests that differ only in ids, so that the rest can be compared. */
function comparable({ status, text }: Told, ids: Ids): string {
  // New records of the caller have their own ids and times.
  if (status < 400) return String(status);
  const unique = [...new Set(Object.values(taken))];
  let left = text;
  for (const [name, id] of Object.entries(ids).toSorted(([, a], [, b]) => b.length - a.length)) {
    // The mark has a letter before its number, so a numeric id is not found in it.
    const mark = `<n${unique.indexOf(taken[name] ?? '')}>`;
    for (const written of new Set([id, encodeURIComponent(id), id.toLowerCase()])) {
      left = /^[0-9]+$/.test(written)
        ? left.replaceAll(new RegExp(`\\b${written}\\b`, 'g'), mark)
        : left.replaceAll(written, mark);
    }
  }
  return `${status} ${left}`;
}

/**
 * Returns a request in which one placeholder, or each of them, names the victim's record. All others name the
 * caller's own record, or an unused id.
 */
function choicesOf({ places }: RequestTemplate, operationId: string, own: Ids | null) {
  const can = places.map((name) => chosen[operationId]?.includes(name) !== true);
  const single = places.map((_, at) => can.map((may, other) => may && other === at));
  const choices = own === null || places.length === 1 ? [can] : [can, ...single];
  return choices
    .filter((foreign) => foreign.includes(true))
    .map((foreign) => ({ foreign, isAll: foreign.every((one, at) => one || !can[at]) }));
}

describe('a caller with the ids of another organization', () => {
  test('a caller with another organization’s ids gets 403 or 404 or an empty list, as for unknown ids', async () => {
    const found: string[] = [];
    const asked = new Set<string>();
    for (const one of operations.filter(isProtected)) {
      const { operationId } = one.operation;
      const templates = templatesOf(one, taken, schemas);
      for (const caller of callers) {
        // Listings that take no id show the caller's own records.
        for (const template of templates.filter(({ places }) => places.length === 0)) {
          if (one.method !== 'GET') continue;
          asked.add(operationId);
          const { text } = await ask(
            one,
            caller,
            fill(template, () => ''),
          );
          if (text.includes(marker))
            found.push(`${nameOf(one)} by ${caller.name}: reveals ${text.slice(0, 300)}`);
        }
        for (const template of templates) {
          for (const { foreign, isAll } of choicesOf(template, operationId, caller.own)) {
            asked.add(operationId);
            const make = (ids: Ids) =>
              fill(template, (name, place) => (foreign[place] ? ids : (caller.own ?? invented))[name] ?? '');
            const theirs = make(taken);
            // The request is sent once before the comparison, so that a record that it creates for the caller exists
            // during both compared requests. Reads create none.
            if (one.method !== 'GET') await ask(one, caller, make(invented));
            const answer = await ask(one, caller, theirs);
            const control = await ask(one, caller, make(invented));
            const which = template.places
              .map((name, at) => (foreign[at] ? name.toUpperCase() : name))
              .join(' ');
            const where = `${nameOf(one)} by ${caller.name} with ${which}`;
            if (isAll && !tellsNothing(answer, operationId) && answer.status !== 400) {
              found.push(`${where}: ${answer.status} ${answer.text.slice(0, 300)}`);
            }
            const [said, expected] = [comparable(answer, taken), comparable(control, invented)];
            if (said !== expected) found.push(`${where}: ${said}, but ${expected} for an unknown id`);
            // The response may repeat the requested names, but nothing else of the victim.
            const repeated = JSON.stringify(theirs);
            const more = answer.text.replaceAll(new RegExp(`[\\w.@-]*${marker}[\\w.@-]*`, 'g'), (word) =>
              repeated.includes(word) ? '' : word,
            );
            if (more.includes(marker)) found.push(`${where}: reveals ${more.slice(0, 300)}`);
          }
        }
      }
    }
    expect(found).toEqual([]);
    expect(asked.size).toBeGreaterThan(90);
    const left = operations.filter(isProtected).filter(({ operation }) => !asked.has(operation.operationId));
    console.info(
      `These operations name no record of a tenant: ${left.map(({ operation }) => operation.operationId).join(', ')}`,
    );
  }, 600_000);

  test('requests with another organization’s ids change nothing, neither in its listings nor in the database', async () => {
    expect(changesOf(rowsBefore, await rowsAbout(here, [marker, ...Object.values(taken)]))).toEqual([]);
    const seen = await everythingSeen();
    const changed = [...seenBefore].filter(([name, text]) => seen.get(name) !== text);
    expect(
      changed.map(([name, text]) => `${name}: ${text.slice(0, 300)} → ${seen.get(name)?.slice(0, 300)}`),
    ).toEqual([]);
    expect((await logIn(here.url, victim)).call).toBeDefined();
  }, 300_000);

  test('a caller that used another organization’s ids still has its own permissions and records', async () => {
    const [owner] = callers;
    for (const path of ['/v1/cloud-wallet/wallets', '/v1/identities/me', `/v1/apps/${owner?.own?.appId}`]) {
      const answer = await fetch(here.url + path, { headers: owner?.headers ?? {} });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });
});
