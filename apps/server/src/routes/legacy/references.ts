import { z } from '@hono/zod-openapi';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { fields } from '../admin/fields.ts';

/** `resourceId` as a filter. If empty, it filters nothing. */
export const resourceIdFilter = z
  .string()
  .max(320)
  .optional()
  .describe('Only resources with this id. If empty, all are returned.');

/** A reference to another record in a body: its id, or the whole record as a response contains it. */
export type Reference = string | { readonly [member: string]: unknown };

function reference(name: string, ...members: [string, ...string[]]) {
  const shape = Object.fromEntries(members.map((member) => [member, fields.id.nullish()]));
  const detail = `must be an id, or an object with ${members.join(' or ')}`;
  return z.union([fields.id, z.object(shape).meta({ id: name })], { error: detail }).refine((value) => {
    return typeof value === 'string' || members.some((member) => typeof value[member] === 'string');
  }, detail);
}

/** Reference schemas: the id as a string, or an object with one of these members. */
export const references = {
  identity: reference('IdentityReference', 'serviceId', 'identifier'),
  app: reference('AppReference', 'appId', 'resourceUUID', 'resourceId'),
  role: reference('RoleReference', 'name'),
  resource: reference('ResourceReference', 'resourceUUID', 'resourceID'),
  project: reference('ProjectReference', 'projectID', 'resourceUUID', 'resourceId'),
  organization: reference('OrganizationReference', 'organizationID', 'resourceUUID', 'resourceId'),
} as const;

/** Maps pointers of ids to the references that contain them. */
export const referencePointers: PointerMap = [
  ['/serviceId', '/identity'],
  ['/resourceId', '/resource'],
  ['/appId', '/app'],
];

/** Returns the id in a validated reference: the first member that is present. */
export function idIn(value: Reference, ...members: string[]): string {
  if (typeof value === 'string') return value;
  for (const member of members) {
    const id = value[member];
    if (typeof id === 'string') return id;
  }
  throw new TypeError(`The reference contains none of ${members.join(', ')}: it was not validated.`);
}
