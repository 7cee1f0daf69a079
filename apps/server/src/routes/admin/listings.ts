import { z } from '@hono/zod-openapi';
import {
  identityRecord,
  organizationRecord,
  resourceIdentityRoleRecord,
  resourceRecord,
} from '@ledger-ops/auth';
import { pageSchema, pagingParameters } from '@ledger-ops/base';
import { fields, resourceIdFilter } from './fields.ts';

/** A page of organizations. */
export const organizationPage = pageSchema('OrganizationPage', organizationRecord);
/** A page of resources. */
export const resourcePage = pageSchema('ResourcePage', resourceRecord);
/** A page of roles of identities. */
export const resourceIdentityRolePage = pageSchema('ResourceIdentityRolePage', resourceIdentityRoleRecord);
/** A page of identities. */
export const identityPage = pageSchema('IdentityPage', identityRecord);

/** How organizations are listed. */
export const organizationQuery = z.object({
  resourceId: resourceIdFilter,
  all: fields.flag(false).describe('Also those in which the caller holds no role itself.'),
  ...pagingParameters([
    'id',
    'name',
    'organizationID',
    'resourceId',
    'resourceUUID',
    'imageURL',
    'dateCreated',
  ]),
});

/** How resources are filtered, everywhere. */
export const resourceFilters = {
  resourceId: resourceIdFilter,
  project: z.string().max(320).optional().describe('Those of this project.'),
  organization: z.string().max(320).optional().describe('Those of this organization.'),
};

/** How pages of resources are asked for. */
export const resourcePaging = pagingParameters([
  'resourceID',
  'resourceUUID',
  'parentId',
  'type',
  'dateCreated',
]);

/** How pages of roles are asked for. */
export const rolePaging = pagingParameters(['id', 'dateCreated']);

/** How pages of identities are asked for. */
export const identityPaging = pagingParameters([
  'id',
  'identifier',
  'serviceId',
  'status',
  'type',
  'dateCreated',
  'dateUpdated',
]);
