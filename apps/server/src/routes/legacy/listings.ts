import { z } from '@hono/zod-openapi';
import { pagingParameters } from '@ledger-ops/base';
import { pageKind } from '../../http/listing.ts';
import { fields } from '../admin/fields.ts';
import {
  identity,
  identityRecord,
  organization,
  organizationRecord,
  resource,
  resourceIdentityRoleRecord,
  resourceRecord,
} from './records.ts';
import { resourceIdFilter } from './references.ts';

export const organizationPage = pageKind('OrganizationPage', organizationRecord, 'The result.');
export const resourcePage = pageKind('ResourcePage', resourceRecord, 'The result.');
export const resourceIdentityRolePage = pageKind(
  'ResourceIdentityRolePage',
  resourceIdentityRoleRecord,
  'The result.',
);
export const identityPage = pageKind('IdentityPage', identityRecord, 'The result.');

/** Query parameters for listing organizations. */
export const organizationQuery = z.object({
  resourceId: resourceIdFilter,
  all: fields.flag(false).describe('If true, includes organizations on which the caller has no role.'),
  ...pagingParameters({
    ...organization.sortKeys('id', 'name', 'organizationID', 'resourceId', 'resourceUUID', 'imageURL'),
    dateCreated: 'createdAt',
  }),
});

/** Filters for resources, shared by all lists. */
export const resourceFilters = {
  resourceId: resourceIdFilter,
  project: z.string().max(320).optional().describe('Only of this project.'),
  organization: z.string().max(320).optional().describe('Only of this organization.'),
};

export const resourcePaging = pagingParameters({
  ...resource.sortKeys('resourceID', 'resourceUUID', 'parentId', 'type'),
  dateCreated: 'createdAt',
});

export const rolePaging = pagingParameters({ id: 'id', dateCreated: 'createdAt' });

export const identityPaging = pagingParameters(
  identity.sortKeys('id', 'identifier', 'serviceId', 'status', 'type', 'dateCreated', 'dateUpdated'),
);
