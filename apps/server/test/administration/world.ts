import { randomBytes } from 'node:crypto';
import { type Admin, createAdmin, type MailMessage, type Principal } from '@ledger-ops/auth';
import { type Installation, install, type Tenant } from '@ledger-ops/auth/testing';
import { createMasterKey, Secret } from '@ledger-ops/base';
import type { IdempotencyClaim, Store } from '@ledger-ops/store';
import { Context } from 'hono';
import { expect } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { legacyAdminRoutes } from '../../src/routes/legacy/legacy-routes.ts';

/** Path parameters, query parameters (lists as arrays), a decoded body. */
export interface SampleRequest {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly claim?: IdempotencyClaim;
}

/** Two unrelated organizations, and the administrator of the installation. */
export interface World {
  readonly here: Installation;
  readonly admin: Admin;
  readonly operations: readonly Route[];
  readonly administrator: Principal;
  readonly acme: Party;
  readonly other: Party;
  readonly sent: MailMessage[];
  /** Logged errors. */
  readonly errors: Record<string, unknown>[];
  /** Makes the mail transport fail. */
  readonly mail: { fails: boolean };
  /** Runs an operation like a route, and validates the response against the operation's schema. */
  call(operationId: string, principal: Principal, request?: SampleRequest): Promise<Answer>;
  /** Creates another party: an organization with a project, an application and an owner. */
  party(name: string): Promise<Party>;
  /** Returns an account in a party's project with one role on a resource. */
  member(party: Party, role: string, resourceUid: string): Promise<Principal>;
}

export interface Party {
  readonly tenant: Tenant;
  readonly owner: Principal;
  readonly organizationId: string;
  readonly projectId: string;
}

/** A response of any operation, validated by the operation's schema. */
export interface Answer extends Array<Answer> {
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly resourceID: string;
  readonly resourceUUID: string;
  readonly resourceId: string;
  readonly serviceId: string;
  readonly identifier: string;
  readonly parentId: string;
  readonly status: string;
  readonly type: Answer;
  readonly identity: Answer;
  readonly identityProfile: Answer;
  readonly role: Answer;
  readonly app: Answer;
  readonly appId: string;
  readonly appToken: string;
  readonly apiToken: string;
  readonly handle: string;
  readonly email: string;
  readonly accountId: string;
  readonly keyID: number;
  readonly privateKey: string;
  readonly imageURL: string;
  readonly organizationID: string;
  readonly projectID: string;
  readonly invitationToken: string;
  readonly invitationState: string;
  readonly userEmail: string;
  readonly result: boolean;
  readonly identityPermissions: string[];
  readonly appPermissions: string[];
  readonly totalElements: number;
  readonly totalPages: number;
  readonly pageElements: number;
  readonly pageContent: Answer[];
}

export async function world(store: Store): Promise<World> {
  const here = await install(store);
  const { auth, change, administrator: first, config } = here;
  const sent: MailMessage[] = [];
  const errors: Record<string, unknown>[] = [];
  const mail = { fails: false };
  const admin = createAdmin({
    store,
    auth,
    masterKey: createMasterKey(randomBytes(32)),
    config: {
      baseUrl: config.baseUrl,
      consoleUrl: 'https://console.example/',
      invitationsPerHour: 100,
    },
    mail: {
      async send(message) {
        if (mail.fails) throw Object.assign(new Error('refused'), { code: 'EREFUSED' });
        sent.push(message);
      },
      async close() {},
    },
    now: () => here.clock.ms,
    logger: { info() {}, error: (fields) => errors.push(fields) },
  });
  const operations = legacyAdminRoutes(admin);
  const administrator = await auth.authenticate(
    first.applicationToken,
    new Secret(
      (
        await auth.issueToken(
          new Map([
            ['grant_type', 'client_credentials'],
            ['client_id', first.appId],
            ['service_account', first.accountId],
            ['client_secret', first.apiToken.reveal()],
          ]),
        )
      ).access_token,
    ),
  );

  const party = async (name: string): Promise<Party> => {
    const tenant = await here.tenant(name);
    const owner = await tenant.principal();
    await change(async (tx) => {
      const resourceUid = tenant.organizationUid;
      await auth.assignRole(tx, { holder: { identity: owner.serviceId }, role: 'owner', resourceUid });
      await auth.assignRole(tx, { holder: { app: tenant.app.uid }, role: 'application', resourceUid });
    });
    const [row] = await store.read.all<{ organization_id: string }>(
      'select organization_id from organization where uid = $1',
      [tenant.organizationUid],
    );
    return { tenant, owner, organizationId: row?.organization_id ?? '', projectId: owner.projectId };
  };

  return {
    here,
    admin,
    operations,
    administrator,
    acme: await party('Acme'),
    other: await party('Other'),
    sent,
    errors,
    mail,
    party,
    async call(operationId, principal, request = {}) {
      const route = routeNamed(operations, operationId);
      const { status, body: answer } = await route.run(rawRequest(principal, request));
      const schema = route.answers[status]?.schema;
      // The response has only members of the schema, so no column leaks.
      if (schema !== undefined) expect(schema.parse(answer), operationId).toEqual(answer);
      // The schema's type is unknown to this function. Missing members are undefined, and then the test
      // fails.
      return answer as Answer;
    },
    async member({ tenant, owner }, role, resourceUid) {
      return await change(async (tx) => {
        const { serviceId } = await auth.createServiceAccount(tx, {
          projectUid: tenant.projectUid,
          name: role,
          createdBy: owner.serviceId,
        });
        await auth.assignRole(tx, { holder: { identity: serviceId }, role, resourceUid });
        return { ...owner, serviceId };
      });
    },
  };
}

function routeNamed(routes: readonly Route[], operationId: string): Route {
  const route = routes.find((one) => one.operationId === operationId);
  if (route === undefined) throw new TypeError(`There is no operation ${operationId}.`);
  return route;
}

/** Returns the request as the pipeline passes it to a route. */
function rawRequest(
  caller: Principal,
  { params = {}, query = {}, body, claim }: SampleRequest,
): Parameters<Route['run']>[0] {
  const unused = () => {
    throw new TypeError('Administrative operations do not use this.');
  };
  return {
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
    query: new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, String(one)]),
      ),
    ),
    body,
    caller,
    claim,
    claimFor: unused,
    replay: unused,
    replayRefused: unused,
    context: new Context(new Request('http://localhost')),
    sources: { of: () => '' },
    reauthenticate: unused,
  };
}

/** Returns the token in the link of a mail. */
export function tokenIn(message: MailMessage | undefined, name: 'initToken' | 'invitationToken'): string {
  const token = message?.text.match(new RegExp(`${name}=([A-Za-z0-9_-]+)`))?.[1];
  if (token === undefined) throw new TypeError(`The mail has no ${name}.`);
  return token;
}
