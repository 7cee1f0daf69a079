// Compares the tables of the service interface with the OpenAPI document and with real responses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWitness, type Ground } from '../stage/answers.ts';
import {
  seeAccess,
  seeAccounts,
  seeAdministrator,
  seeCurrentAdministration,
} from '../stage/answers-of-administration.ts';
import { seeContracts, seeLedgerOperations, seeLedgers, seePlugins } from '../stage/answers-of-records.ts';
import { addTenant, type Installation, install, logIn, type Tenant } from '../stage/api.ts';
import { differencesOfSchema } from '../stage/conformance.ts';
import { operations } from './specification-operations.ts';
import { records } from './specification-records.ts';

type JsonSchema = Record<string, unknown>;
interface Described {
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

let here: Installation;
let tenant: Tenant;
let document: {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema> };
};
beforeAll(async () => {
  here = await install({
    PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
    PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-ethereum',
  });
  tenant = await addTenant(here.url, here.administrator, 'table');
  // The tests check the shape of the document.
  document = await tenant.api.expect(200, 'GET', '/openapi.json');
});
afterAll(() => here?.close());

const described = ({ method, path }: (typeof operations)[number]) =>
  document.paths[path]?.[method.toLowerCase()];

describe('the document', () => {
  test('the OpenAPI document has every operation of the specification, with its success code', () => {
    const missing = operations.filter((one) => described(one)?.responses[one.status] === undefined);
    expect(missing.map(({ name, status }) => `${name} ${status}`)).toEqual([]);
  });

  test('the OpenAPI document describes every response with the fields and types of the specification', () => {
    const resolve = (schema: JsonSchema): JsonSchema => {
      const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
      return name === undefined ? schema : resolve(document.components.schemas[name] ?? {});
    };
    const differences = operations.flatMap((one) => {
      const content = described(one)?.responses[one.status]?.content?.['application/json'];
      return differencesOfSchema(content?.schema, one.answer, resolve).map((what) => `${one.name}: ${what}`);
    });
    expect(differences).toEqual([]);
  });
});

describe('real responses', () => {
  const witness = createWitness();
  const { asked, differences, hear } = witness;
  let ground: Ground;
  beforeAll(() => {
    ground = { here, tenant, hear, see: witness.seeAs(tenant.api) };
  });

  test('responses of ledger operations, the cloud wallet and deprecated gateway operations match the specification', () =>
    seeLedgerOperations(ground));
  test('responses of current and legacy contract operations match the specification', () =>
    seeContracts(ground));
  test('responses of current and legacy plugin operations match the specification', () => seePlugins(ground));
  test('responses of ledgers, nodes, explorers and the timeline match the specification', () =>
    seeLedgers(ground));
  test('responses of organizations, projects, apps, accounts and identities match the specification', () =>
    seeAccounts(ground));
  test('responses of resources, permissions and invitations match the specification', () =>
    seeAccess(ground));
  test('responses of administration at paths that are not deprecated match the specification', () =>
    seeCurrentAdministration(ground));
  test('responses of administrator operations match the specification', async () => {
    await seeAdministrator({ see: witness.seeAs(await logIn(here.url, here.administrator)) });
  });

  test('all responses have the fields and types of the specification', () => {
    expect(differences).toEqual([]);
  });

  test('the checked responses include every operation that returns a record, and every type of record', () => {
    const unseen = operations.filter(({ name, answer }) => answer !== '-' && !asked.has(name));
    expect(unseen.map(({ name }) => name)).toEqual([]);
    const used = new Set(operations.map(({ answer }) => answer.replace(/^\w+<|>$|\[\]$/g, '')));
    const inside = Object.values(records).flatMap((fields) =>
      Object.values(fields).map((type) => type.replace(/\|null$/, '').replace(/\[\]$/, '')),
    );
    expect(Object.keys(records).filter((name) => !used.has(name) && !inside.includes(name))).toEqual([]);
  });
});
