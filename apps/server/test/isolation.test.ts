// Generated from the document: an operation that is added is covered, or this test says what it needs to know.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from './api.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  security: object[];
}

let here: Installation;
let victim: Tenant;
let stranger: Tenant;
let operations: { method: string; path: string; operation: Operation }[];
/** Ids of the victim's records by the names that parameters and members have; and the same that never were. */
let taken: Record<string, string>;
let invented: Record<string, string>;

/** Stands in everything of the victim's that is text of its own. */
const marker = 'victimized';

/** Choices that name nobody's record: they are the same in every request. */
const neutral: Record<string, string> = {
  status: 'ENABLED',
  filter_by: 'SERVICE_ID',
  lookupTermStrategy: 'OR',
  permission: 'project:read',
  permissions: 'project:read',
  invitationState: 'PENDING',
  authType: 'apiToken',
  resourceType: 'project',
  type: 'project',
  name: 'owner',
  roleType: 'IDENTITY',
  names: 'owner',
  tag: '1',
  tags: '1',
  tagName: '1',
  method: 'anything',
  saml: 'false',
  all: 'true',
  assignAuthenticatedUser: 'true',
  withReceipt: 'false',
  service: 'ledger-operations',
  action: 'send',
  from: '2026-01-01T00:00:00Z',
  to: '2126-01-01T00:00:00Z',
};
/** Of paging and listings; left out. */
const unused = new Set([
  'page',
  'size',
  'sort',
  'lookupTerm',
  'resourceId?',
  'Idempotency-Key',
  'Last-Event-ID',
]);

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' });
  const { url, administrator } = here;
  victim = await addTenant(url, administrator, marker);
  stranger = await addTenant(url, administrator, 'stranger');
  await addWallet(here, stranger, 'stranger-wallet');
  taken = await recordsOf(victim);
  const others = new Map(Object.values(taken).map((id) => [id, likeIt(id)]));
  invented = Object.fromEntries(Object.entries(taken).map(([name, id]) => [name, others.get(id) ?? id]));
  const { paths } = await stranger.api.expect<{ paths: Record<string, Record<string, Operation>> }>(
    200,
    'GET',
    '/openapi.json',
  );
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(() => here.close());

/** One record of every kind. */
async function recordsOf({ api, ...tenant }: Tenant): Promise<Record<string, string>> {
  const project = tenant.projectUuid;
  const { walletId } = await addWallet(here, { api }, `${marker}-wallet`);
  const to = '0x00000000000000000000000000000000000000aa';
  const intent = randomUUID();
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...transferBody(walletId, to),
    intent,
    tag: marker,
  });
  const { txId = '' } = await ended(api, actionId);
  const image = {
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    format: 'png',
  };
  const app = await api.expect(200, 'PUT', `/v1/apps/${tenant.appId}/image`, image);
  const group = await api.expect(201, 'POST', '/v1/contract-groups', { name: marker });
  const deployed = '0x00000000000000000000000000000000000000bb';
  await here.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const contract = await api.expect(201, 'POST', `/v1/contract-groups/${group.groupId}/instances`, {
    interface: '[]',
    ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
    name: marker,
  });
  const template = await api.expect(201, 'POST', '/v1/smart-contracts/templates', {
    contractTemplateID: `${marker}-template`,
    name: marker,
  });
  const { handle = '' } = await api.expect(
    201,
    'POST',
    `/v1/service-accounts/${tenant.accountId}/api-tokens`,
  );
  const key = await api.expect(201, 'POST', `/v1/service-accounts/${tenant.accountId}/keys`);
  await api.expect(201, 'POST', `/v1/resource-manager/resources/${project}/lookup-terms`, { value: marker });
  const invitation = await api.expect(201, 'POST', '/v1/invitations', {
    userEmail: `${marker}@example.com`,
    organizationId: tenant.organizationUuid,
  });
  const plugin = await api.expect(201, 'POST', '/v1/plugins', {
    name: marker,
    projectId: tenant.projectId,
    url: 'npm:@ledger-ops/plugin-ethereum',
  });
  const ledger = await api.expect(201, 'POST', '/v1/ledgers', {
    ledgerID: `${marker}-ledger`,
    name: marker,
    ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
  });
  const node = await api.expect(201, 'POST', '/v1/nodes', {
    nodeID: `${marker}-node`,
    ledgerID: ledger.ledgerID,
    options: { uri: here.anvil.url },
  });
  const explorer = await api.expect(201, 'POST', '/v1/explorers', {
    explorerID: `${marker}-explorer`,
    ledgerID: ledger.ledgerID,
    name: marker,
  });
  const groups = {
    action: { actionId, intent, txId, locator: txId },
    wallet: { walletId, wallet: walletId },
    contract: {
      contractGroupId: group.groupId,
      groupId: group.groupId,
      smartContractId: contract.contractId,
      contractId: contract.contractId,
      instanceId: contract.contractId,
      contractInstanceID: contract.contractId,
      templateId: template.contractTemplateID,
      contractTemplateID: template.contractTemplateID,
    },
    ledger: {
      ledgerId: ledger.ledgerID,
      ledgerID: ledger.ledgerID,
      nodeId: node.nodeID,
      nodeID: node.nodeID,
      explorerId: explorer.explorerID,
      explorerID: explorer.explorerID,
    },
    place: {
      resourceId: project,
      resource: project,
      resources: project,
      resourceUUID: project,
      parentId: project,
      project,
      projectId: project,
      organization: tenant.organizationUuid,
      organizationId: tenant.organizationUuid,
      organizationID: tenant.organizationUuid,
    },
    identity: {
      serviceId: tenant.serviceId,
      identity: tenant.serviceId,
      identityId: tenant.serviceId,
      id: tenant.serviceId,
      identifiers: tenant.serviceId,
      searchCriteria: tenant.email,
    },
    app: { app: tenant.appUuid, appId: tenant.appId, appToken: tenant.applicationToken },
    account: {
      accountId: tenant.accountId,
      emailOrAccountId: tenant.accountId,
      email: tenant.email,
      apiToken: handle,
      keyId: String(key.keyID),
    },
    other: {
      imageId: (app.imageURL ?? '').split('/').at(-1),
      invitationToken: invitation.invitationToken,
      pluginId: plugin.id,
      plugin: plugin.id,
    },
  };
  return Object.fromEntries(
    Object.values(groups)
      .flatMap((group) => Object.entries(group))
      .map(([name, id]) => {
        if (id === undefined || id === '') throw new Error(`The victim has no ${name}.`);
        return [name, id];
      }),
  );
}

/** An id of the same form that nobody has. */
function likeIt(id: string): string {
  if (/^[0-9]+$/.test(id)) return '999999999';
  if (/^0x[0-9a-f]{64}$/.test(id)) return `0x${'e'.repeat(64)}`;
  if (/^[0-9a-f]{8}-/.test(id)) return randomUUID();
  if (/^app_|^inv_/.test(id)) return id.slice(0, 4) + 'x'.repeat(id.length - 4);
  return id.replace(marker, 'inventedxx');
}

/** The request of an operation with these ids; undefined when it names no record at all. */
function requestOf({ path, operation }: (typeof operations)[number], ids: Record<string, string>) {
  let names = 0;
  const value = (name: string, where: string) => {
    const own = ids[name];
    if (own !== undefined) names += 1;
    const found = own ?? neutral[name];
    if (found === undefined) throw new Error(`${operation.operationId}: say what ${name} (${where}) may be.`);
    return found;
  };
  const parameters = operation.parameters ?? [];
  let target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name, 'path')));
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const { name } = parameter;
    if (parameter.in !== 'query' || unused.has(name)) continue;
    // Filters beside the id would only make less to be seen.
    if (parameter.required !== true && ids[name] === undefined && neutral[name] === undefined) continue;
    if (parameter.required === true || ids[name] !== undefined) query.set(name, value(name, 'query'));
  }
  if (query.size > 0) target += `?${query}`;
  const example =
    bodies[operation.operationId] ?? operation.requestBody?.content['application/json']?.example;
  const body =
    example === undefined
      ? undefined
      : JSON.parse(
          JSON.stringify(example, (key, member: unknown) => {
            if (typeof member !== 'string' || ids[key] === undefined) return member;
            names += 1;
            return ids[key];
          }),
        );
  return names === 0 ? undefined : { target, body };
}

/** Bodies whose ids name records, where the example also chooses an id of its own. */
const bodies: Record<string, unknown> = {
  registerSmartContract: {
    ledgerID: 'chain',
    contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: '' } },
    properties: [{ type: { name: 'address' }, value: '0x00000000000000000000000000000000000000aa' }],
  },
  createResource: { type: 'billing-account', parentId: '' },
  createApp: { name: 'x', projectId: '' },
  createServiceAccount: { name: 'x', project: '' },
  createContractGroup: { name: 'x', projectId: '' },
  createLedger: { name: 'x', projectId: '', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
  createNode: { ledgerID: '', options: { uri: 'http://127.0.0.1:9' } },
  createExplorer: { ledgerID: '', name: 'x' },
  createPlugin: { name: 'x', projectId: '', url: 'npm:@ledger-ops/plugin-ethereum' },
  respondToInvitation: { id: 1, invitationState: 'CANCELED', resource: '' },
};
/** The ids in their bodies are names for what they create. */
const exempt = new Set(['createWallet', 'createOrganization', 'createTemplate']);
/** Operations that say "nothing" in words of their own. */
const nothing: Record<string, RegExp> = {
  getTransactionsStatus:
    /^200 \[\{"details":\{"contractAddress":null,"locator":null\},"problem":\{"type":"[^"]*:not-found"/,
  validateServiceAccountCredentials: /^401 /,
};
const isPublic = ({ operation }: (typeof operations)[number]) => operation.security.length === 0;

describe('a caller of one organization with the ids of another', () => {
  test('is told 403 or 404, or sees an empty list; never a word of the other, and what it would be told of ids that never were', async () => {
    let asked = 0;
    const found: string[] = [];
    for (const one of operations) {
      if (isPublic(one) || exempt.has(one.operation.operationId)) continue;
      const theirs = requestOf(one, taken);
      const nobodys = requestOf(one, invented);
      if (theirs === undefined || nobodys === undefined) continue;
      asked += 1;
      const ask = async ({ target, body }: typeof theirs) => {
        const signal = AbortSignal.timeout(30_000);
        const response = await fetch(here.url + target, {
          method: one.method,
          signal,
          headers: {
            ...stranger.headers,
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const isStream = response.headers.get('content-type') === 'text/event-stream';
        if (isStream) await response.body?.cancel();
        return { status: response.status, text: isStream ? '' : await response.text(), isStream };
      };
      const answer = await ask(theirs);
      const control = await ask(nobodys);
      const name = `${one.method} ${one.path} (${one.operation.operationId})`;
      const isRefused = answer.status === 403 || answer.status === 404;
      const own = nothing[one.operation.operationId]?.test(`${answer.status} ${answer.text}`) === true;
      if (!isRefused && !own && !isEmpty(answer))
        found.push(`${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
      if (answer.status !== control.status) {
        found.push(`${name}: ${answer.status}, but ${control.status} for what never was: ${control.text}`);
      }
      // What was asked for may be repeated; nothing else of the victim.
      const repeated = JSON.stringify(theirs);
      const said = answer.text.replaceAll(new RegExp(`[\\w.@-]*${marker}[\\w.@-]*`, 'g'), (word) =>
        repeated.includes(word) ? '' : word,
      );
      if (said.includes(marker)) found.push(`${name}: tells ${said.slice(0, 300)}`);
    }
    expect(found).toEqual([]);
    expect(asked).toBeGreaterThan(60);
  }, 180_000);

  test('changes nothing: the victim’s records are as they were', async () => {
    const { api } = victim;
    expect(await api.expect(200, 'GET', `/v1/apps/${victim.appId}`)).toMatchObject({
      name: `${marker} app`,
    });
    expect(await api.expect(200, 'GET', '/v1/identities/me')).toMatchObject({ status: 'ENABLED' });
    const tokens = await api.expect(200, 'GET', `/v1/service-accounts/${victim.accountId}/api-tokens`);
    expect(tokens).toHaveLength(2);
    const invitations = await api.expect(200, 'GET', '/v1/invitations?invitationState=PENDING');
    expect(invitations).toHaveLength(1);
    expect((await logIn(here.url, victim)).call).toBeDefined();
  });
});

/** A search that found nothing. */
function isEmpty({ status, text, isStream }: { status: number; text: string; isStream: boolean }): boolean {
  if (isStream) return true;
  if (status !== 200) return false;
  const body = JSON.parse(text) as unknown;
  if (Array.isArray(body)) return body.length === 0;
  if (typeof body !== 'object' || body === null) return false;
  if ('totalElements' in body) return body.totalElements === 0;
  return 'pageContent' in body && Array.isArray(body.pageContent) && body.pageContent.length === 0;
}
