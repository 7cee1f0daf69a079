// Generated from the route table: an operation requires exactly the permissions, and contacts exactly the systems, that it declares.
import { systemUid } from '@ledger-ops/auth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neededOf, type Route } from '../../src/http/route.ts';
import { ledgerProblems } from '../../src/routes/ledger-problems.ts';
import { administrationSteps } from '../events/timeline-administration.ts';
import { recordSteps } from '../events/timeline-records.ts';
import { pluginUrl } from '../events/timeline-steps.ts';
import { adapterWithSystemContract } from '../records/system-contracts.ts';
import { createWitness } from '../stage/answers.ts';
import {
  seeAccess,
  seeAccounts,
  seeAdministrator,
  seeCurrentAdministration,
} from '../stage/answers-of-administration.ts';
import { seeContracts, seeLedgerOperations, seeLedgers, seePlugins } from '../stage/answers-of-records.ts';
import { type Api, addTenant, type Installation, install, logIn } from '../stage/api.ts';
import { type RecordedContacts, recordContacts } from '../stage/contacts.ts';
import { makeServer, openGround } from '../stage/harness.ts';
import { contactOthers } from './contact-steps.ts';
import { addProbe, type ProbeReport } from './permission-probe.ts';
import { usePermissions } from './permission-steps.ts';

let here: Installation;
let admin: Api;
let routes: readonly Route[];
let contacts: RecordedContacts;
const systemLedgerId = 'with-system-contract';
/** Operations that respond only when something happens, with the test that covers each. */
const streams: Readonly<Record<string, string>> = {
  followTimeline: 'timeline.test.ts: it shows what the listings show',
  followEvents: 'events.test.ts: it shows what the listings show',
};
const report: ProbeReport = { differences: [], shown: new Map() };

beforeAll(async () => {
  const ground = await openGround();
  ({ routes } = makeServer(ground));
  await ground.close();
  const settings = { PLUGINS_ALLOWED: pluginUrl, PLUGINS_TRUSTED: pluginUrl };
  here = await install(settings, [adapterWithSystemContract()]);
  await here.server.store.transaction((tx) =>
    here.server.registry.createLedger(tx, {
      ...{ ledgerId: systemLedgerId, projectUid: null, parentResourceUid: systemUid, name: 'With contracts' },
      ...{ technology: 'hyperledger-fabric', properties: {}, nodes: [{ uri: 'memory:' }] },
    }),
  );
  admin = await logIn(here.url, here.administrator);
  // The receiver of the webhooks that these calls create.
  contacts = recordContacts(here, routes, new Set(['http://127.0.0.1:1']));
});
afterAll(async () => {
  contacts?.stop();
  await here?.close();
});

async function probed(name: string) {
  const tenant = await addTenant(here.url, here.administrator, name);
  const probe = await addProbe(here, tenant, admin, routes, report);
  return { here, tenant: { ...tenant, api: probe }, admin: probe, owner: tenant, probe };
}

describe('permissions of operations', () => {
  test('each operation in the specification’s tables is refused if the caller lacks a permission that it needs', async () => {
    const witness = createWitness();
    const { tenant, ...more } = await probed('table');
    const ground = { ...more, tenant, hear: witness.hear, see: witness.seeAs(tenant.api) };
    await seeLedgerOperations(ground);
    await seeContracts(ground);
    await seePlugins(ground);
    await seeLedgers(ground);
    await seeAccounts(ground);
    await seeAccess(ground);
    await seeCurrentAdministration(ground);
    await seeAdministrator(ground);
  }, 300_000);

  test('each operation that changes data is refused if the caller lacks a permission that it needs', async () => {
    const ground = await probed('steps');
    for (const { run } of [...(await administrationSteps(ground)), ...(await recordSteps(ground))])
      await run();
  }, 300_000);

  test('each operation that needs two permissions is refused if the caller lacks either one', async () => {
    const { owner, probe } = await probed('more');
    await usePermissions({ here, tenant: owner, probe, systemLedgerId });
  }, 300_000);

  test('calls that contact a ledger or a plugin succeed for the owner of a project', async () => {
    await contactOthers({ here, tenant: await addTenant(here.url, here.administrator, 'contacts') });
  }, 300_000);

  test('each operation requires exactly the permissions that its route declares', () => {
    expect(report.differences).toEqual([]);
  });

  test('each permission that a route declares has a test that the operation is refused without it', () => {
    const unseen = routes.flatMap(({ operationId, permission }) => {
      if (typeof permission !== 'object' || streams[operationId] !== undefined) return [];
      const declared = [
        ...neededOf(permission),
        ...(permission.also ?? []),
        ...(permission.gives ? ['gives'] : []),
      ];
      const shown = report.shown.get(operationId);
      return declared.filter((one) => shown?.has(one) !== true).map((one) => `${operationId}: ${one}`);
    });
    expect(
      unseen,
      'each permission needs a call in permission-steps.ts or in another table of this test',
    ).toEqual([]);
  });

  test('each operation contacts only the systems that its route declares', () => {
    const undeclared = routes.flatMap(({ operationId, contacts: declared = [] }) =>
      [...(contacts.byOperation.get(operationId) ?? [])]
        // A ledger is contacted through its plugin.
        .filter((one) => !declared.includes(one) && !(one === 'plugin' && declared.includes('ledger')))
        .map((one) => `${operationId}: ${one}`),
    );
    expect(undeclared).toEqual([]);
  });

  test('each system that a route declares has a test that the operation contacts it', () => {
    const unseen = routes.flatMap(({ operationId, contacts: declared = [] }) =>
      declared
        .filter((one) => contacts.byOperation.get(operationId)?.has(one) !== true)
        .map((one) => `${operationId}: ${one}`),
    );
    expect(unseen).toEqual([]);
  });

  test('each operation that fails if a ledger cannot be used declares all problems of an unusable ledger', () => {
    const partly = routes.flatMap(({ operationId, contacts: declared = [], problems = [] }) => {
      const some = problems.filter((one) => ledgerProblems.some((name) => name === one));
      // `address-not-opened` can also concern the address of a receiver.
      const isLedgers = some.some((one) => one !== 'address-not-opened');
      const isWhole = some.length === ledgerProblems.length && declared.some((one) => one !== 'receiver');
      return isLedgers && !isWhole ? [`${operationId}: ${some}`] : [];
    });
    expect(partly).toEqual([]);
  });
});
