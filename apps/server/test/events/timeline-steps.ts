import { type Api, ended, type Installation, type Tenant, type Texts } from '../stage/api.ts';

/** A call to an operation, and the expected timeline record. */
export interface Step {
  readonly operationId: string;
  /** If undefined, the service of the operation. */
  readonly service?: string;
  readonly action: string;
  /** Makes the call; returns the id or uid of the resource, and the secrets that must not be recorded. */
  readonly run: () => Promise<{ resource: string | undefined; secrets?: (string | undefined)[] }>;
}

export interface Ground {
  readonly here: Installation;
  readonly tenant: Tenant;
  /** Calls operations as the installation's administrator. */
  readonly admin: Api;
}

/** Password of wallets and people. */
export const password = 'correct horse battery staple';
/** The plugin that the installation must allow and trust. */
export const pluginUrl = 'npm:@ledger-ops/plugin-ethereum';

/** Helpers for defining steps. */
export function stepKit({ here, tenant, admin }: Ground) {
  const { api } = tenant;
  const made: Record<string, string> = {};
  const step = (
    operationId: string,
    [action, service]: [action: string, service?: string],
    run: Step['run'],
  ): Step => ({ operationId, action, run, ...(service === undefined ? {} : { service }) });
  /** A call that concerns an existing resource. */
  const on = (
    operationId: string,
    action: string,
    resource: () => string | undefined,
    [status, method, path, body]: [number, string, () => string, (() => unknown)?],
    by: Api = api,
  ): Step =>
    step(operationId, [action], async () => {
      await by.expect(status, method, path(), body?.());
      return { resource: resource() };
    });
  /** A call that creates a resource and returns its id under this name. */
  const creates = (
    operationId: string,
    name: string,
    path: () => string,
    body: () => unknown,
    by: Api = api,
  ): Step =>
    step(operationId, ['create'], async () => {
      const { [name]: id } = await by.expect(201, 'POST', path(), body());
      if (id === undefined) throw new Error(`${operationId} did not return ${name}.`);
      made[operationId] = id;
      return { resource: id };
    });
  /** Returns a call that sends an action with the wallet. */
  const sends = (operationId: string, path: () => string, body: () => object, status = 201): Step =>
    step(operationId, ['accept', 'ledger-operations'], async () => {
      const { actionId, id, results } = await api.expect<Texts & { results?: Texts[] }>(
        status,
        'POST',
        path(),
        body(),
      );
      const sent = results?.[0]?.actionId ?? actionId ?? id ?? '';
      if (operationId !== 'sendTransaction') await ended(api, sent);
      return { resource: 'alice', secrets: [password] };
    });
  return { api, here, tenant, admin, made, step, on, creates, sends };
}
