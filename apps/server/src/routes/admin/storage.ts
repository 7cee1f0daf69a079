import { z } from '@hono/zod-openapi';
import { type Admin, storageLimitEntries } from '@ledger-ops/auth';
import { ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { fields } from './fields.ts';

const service = 'administration';
const limits = '/v1/admin/storage-limits';
const ofOrganization = '/v1/admin/organizations/{organizationId}/storage-limits';

const [first, ...others] = storageLimitEntries.map(([name]) => name);
if (first === undefined) throw new TypeError('The storage limits.');
const limit = z.enum([first, ...others]);
const most = z
  .int()
  .min(0)
  .max(2 ** 50);

const usageSchema = z
  .object({
    limit,
    description: z.string(),
    unit: z.enum(['records', 'bytes']),
    used: z.int().nullable().openapi({
      description:
        'Current usage. For a limit per project or per subscription, the highest usage of any of them. Null for the installation.',
    }),
    usedBy: z.string().nullable().openapi({
      description:
        'Id of the project or contract subscription that the usage belongs to; null if the limit applies to the organization.',
    }),
    most,
    setBy: z.enum(['default', 'installation', 'organization']),
  })
  .openapi('AdminStorageLimit');
const limitsSchema = z.object({ items: z.array(usageSchema) }).openapi('AdminStorageLimits');
const body = jsonBody(
  z.strictObject({
    most: most
      .nullable()
      .openapi({ description: 'The organization’s own limit; null if the default applies.' }),
  }),
  { most: 2_000 },
);

/** Storage limits of the installation and of each organization. */
export function storageRoutes({ storage }: Admin): Route[] {
  const params = z.object({ organizationId: fields.id });
  const answers = answered(limitsSchema);
  return [
    defineRoute({
      method: 'get',
      path: limits,
      operationId: 'adminListStorageLimits',
      summary: 'List the default storage limits of organizations',
      service,
      permission: { needs: 'system:read', on: 'record' },
      answers,
      problems: ['not-found'],
      handle: async ({ principal }) => ok({ items: await storage.ofInstallation(principal) }),
    }),
    defineRoute({
      method: 'put',
      path: `${limits}/{limit}`,
      operationId: 'adminSetStorageLimit',
      summary: 'Change a default storage limit of organizations',
      description: 'Nothing is deleted: if usage exceeds the new limit, nothing more can be stored.',
      service,
      permission: { needs: 'system:manage', on: 'record' },
      params: z.object({ limit }),
      body,
      answers,
      problems: ['not-found'],
      handle: async ({ principal, params, body }) =>
        ok({ items: await storage.setOfInstallation(principal, params.limit, body.most) }),
    }),
    defineRoute({
      method: 'get',
      path: ofOrganization,
      operationId: 'adminListOrganizationStorageLimits',
      summary: 'List the storage limits of an organization, and its usage',
      service,
      permission: { needs: 'organization:read', on: 'record' },
      params,
      answers,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok({ items: await storage.ofOrganization(principal, params.organizationId) }),
    }),
    defineRoute({
      method: 'put',
      path: `${ofOrganization}/{limit}`,
      operationId: 'adminSetOrganizationStorageLimit',
      summary: 'Change a storage limit of an organization',
      description: 'Nothing is deleted: if usage exceeds the new limit, nothing more can be stored.',
      service,
      permission: { needs: 'system:manage', on: 'record', also: ['organization:read'] },
      params: params.extend({ limit }),
      body,
      answers,
      problems: ['not-found'],
      handle: async ({ principal, params: { organizationId, limit }, body }) =>
        ok({ items: await storage.setOfOrganization(principal, organizationId, limit, body.most) }),
    }),
  ];
}
