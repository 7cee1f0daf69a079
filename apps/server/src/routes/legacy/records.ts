import { z } from '@hono/zod-openapi';
import {
  type ApiTokenView,
  type AppRoleGrantView,
  type AppView,
  type GeneratedKeyView,
  type IdentityView,
  type InvitationView,
  identityStatuses,
  identityTypes,
  invitationStates,
  type NewApiTokenView,
  type OrganizationView,
  type ProjectView,
  permissions,
  type ResourceView,
  type RoleGrantView,
  type RoleView,
  resourceTypes,
  type ServiceAccountKeyView,
  type ServiceAccountView,
} from '@ledger-ops/auth';
import { shapeOf } from './shape.ts';

// Deprecated records of the administration (specification, section 2.9): the schema of each, and its conversion
// table.

const id = z.int();
const milliseconds = z.int().describe('Milliseconds since the epoch.');
const usability = z.enum(['ENABLED', 'DISABLED']);

export const resourceRecord = z
  .object({
    resourceID: z.string(),
    resourceUUID: z.string(),
    type: z.object({ id, name: z.enum(resourceTypes) }),
    properties: z.array(z.object({ id, name: z.string(), value: z.string() })),
    parentId: z
      .string()
      .nullable()
      .describe('resourceUUID of the parent resource; null for the system resource.'),
  })
  .meta({ id: 'Resource' });
export const resource = shapeOf<ResourceView>()({
  resourceID: 'resourceId',
  resourceUUID: 'uid',
  type: ({ type }) => ({ id: resourceTypes.indexOf(type) + 1, name: type }),
  properties: 'properties',
  parentId: 'parentUid',
});

export const roleRecord = z
  .object({
    description: z.string(),
    id,
    name: z.string(),
    permissions: z.array(z.object({ action: z.string(), id })),
    roleType: z.enum(['IDENTITY', 'APP']),
  })
  .meta({ id: 'Role' });
const permissionIds = new Map<string, number>(
  permissions.map(({ permission }, index) => [permission, index + 1]),
);
export const role = shapeOf<RoleView>()({
  description: 'description',
  id: 'id',
  name: 'name',
  permissions: (record) =>
    record.permissions.map((action) => ({ action, id: permissionIds.get(action) ?? 0 })),
  roleType: 'roleType',
});

const identityName = z.object({ serviceId: z.string(), identifier: z.string() }).meta({ id: 'IdentityName' });
const appName = z.object({ appId: z.string(), name: z.string() }).meta({ id: 'AppName' });

export const resourceIdentityRoleRecord = z
  .object({ id, identity: identityName, resource: resourceRecord, role: roleRecord })
  .meta({ id: 'ResourceIdentityRole' });
export const resourceIdentityRole = shapeOf<RoleGrantView>()({
  id: 'id',
  identity: 'identity',
  resource: (record) => resource.present(record.resource),
  role: (record) => role.present(record.role),
});

/** A role of an identity on an application, or of an application on a resource; in the latter, `identity` is null. */
export const appIdentityRoleRecord = z
  .object({ id, identity: identityName.nullable(), app: appName, role: roleRecord })
  .meta({ id: 'AppIdentityRole' });
export const appIdentityRole = shapeOf<AppRoleGrantView>()({
  id: 'id',
  identity: 'identity',
  app: 'app',
  role: (record) => role.present(record.role),
});

export const identityRecord = z
  .object({
    dateCreated: milliseconds,
    dateUpdated: milliseconds,
    id,
    identifier: z.string(),
    identityProfile: z.object({ displayName: z.string().nullable(), imageURL: z.string().nullable() }),
    serviceId: z.string(),
    status: z.enum(identityStatuses),
    type: z.enum(identityTypes),
  })
  .meta({ id: 'Identity' });
export const identity = shapeOf<IdentityView>()({
  dateCreated: 'createdAt',
  dateUpdated: 'updatedAt',
  id: 'id',
  identifier: 'identifier',
  identityProfile: ({ name, imageUrl }) => ({ displayName: name, imageURL: imageUrl }),
  serviceId: 'serviceId',
  status: 'status',
  type: 'type',
});

export const organizationRecord = z
  .object({
    id,
    name: z.string(),
    organizationID: z.string(),
    resourceId: z.string(),
    resourceUUID: z.string(),
    imageURL: z.string().nullable(),
  })
  .meta({ id: 'Organization' });
export const organization = shapeOf<OrganizationView>()({
  id: 'id',
  name: 'name',
  organizationID: 'organizationId',
  resourceId: 'organizationId',
  resourceUUID: 'uid',
  imageURL: 'imageUrl',
});

export const projectRecord = z
  .object({
    id,
    name: z.string(),
    organization: organizationRecord,
    projectID: z.string(),
    resourceId: z.string(),
    resourceUUID: z.string(),
  })
  .meta({ id: 'Project' });
export const project = shapeOf<ProjectView>()({
  id: 'id',
  name: 'name',
  organization: (record) => organization.present(record.organization),
  projectID: 'projectId',
  resourceId: 'projectId',
  resourceUUID: 'uid',
});

export const appRecord = z
  .object({
    appURL: z.string().nullable(),
    id,
    imageURL: z.string().nullable(),
    appId: z.string(),
    name: z.string(),
    projectId: z.string(),
    resourceId: z.string(),
    resourceUUID: z.string(),
    redirectUris: z.array(z.string()),
    formerToken: z.boolean().meta({ description: 'Whether the former token is still valid.' }),
  })
  .meta({ id: 'App' });
export const app = shapeOf<AppView>()({
  appURL: 'appUrl',
  id: 'id',
  imageURL: 'imageUrl',
  appId: 'appId',
  name: 'name',
  projectId: 'projectId',
  resourceId: 'appId',
  resourceUUID: 'uid',
  redirectUris: 'redirectUris',
  formerToken: 'formerToken',
});

export const serviceAccountRecord = z
  .object({
    accountId: z.string(),
    createdBy: z.string().describe('serviceId'),
    dateCreated: z.int(),
    dateUpdated: z.int(),
    email: z.string(),
    id,
    name: z.string(),
    project: z.string().describe('projectID'),
    resourceId: z.string(),
    updatedBy: z.string().describe('serviceId'),
    serviceId: z.string().describe('ServiceId of the account’s identity; also its resourceUUID.'),
  })
  .meta({ id: 'ServiceAccount' });
export const serviceAccount = shapeOf<ServiceAccountView>()({
  accountId: 'accountId',
  createdBy: 'createdBy',
  dateCreated: 'createdAt',
  dateUpdated: 'updatedAt',
  email: 'email',
  id: 'id',
  name: 'name',
  project: 'projectId',
  resourceId: 'accountId',
  updatedBy: 'updatedBy',
  serviceId: 'serviceId',
});

/** An API token in listings. `apiToken` contains its handle instead of the secret. */
export const apiTokenRecord = z
  .object({ apiToken: z.string(), status: usability, dateCreated: z.int() })
  .meta({ id: 'ApiToken' });
export const apiToken = shapeOf<ApiTokenView>()({
  apiToken: 'tokenId',
  status: 'status',
  dateCreated: 'createdAt',
});

/** A new API token; `apiToken` is the secret, shown once. */
export const newApiTokenRecord = z
  .object({ apiToken: z.string(), handle: z.string(), status: usability })
  .meta({ id: 'IssuedApiToken' });
export const newApiToken = shapeOf<NewApiTokenView>()({
  apiToken: 'apiToken',
  handle: 'tokenId',
  status: 'status',
});

export const serviceAccountKeyRecord = z
  .object({
    dateCreated: z.int(),
    dateUpdated: z.int(),
    generatedBy: z.string(),
    id,
    keyID: z.int(),
    privateKeyFormat: z.string(),
    publicKey: z.string(),
    publicKeyFormat: z.string(),
    serviceAccount: z.string(),
    status: usability,
  })
  .meta({ id: 'ServiceAccountKey' });
export const serviceAccountKey = shapeOf<ServiceAccountKeyView>()({
  dateCreated: 'createdAt',
  dateUpdated: 'updatedAt',
  generatedBy: 'createdBy',
  id: 'keyId',
  keyID: 'keyId',
  privateKeyFormat: 'privateKeyFormat',
  publicKey: 'publicKey',
  publicKeyFormat: 'publicKeyFormat',
  serviceAccount: 'accountId',
  status: 'status',
});

/** A generated key, in the format of a key file. The private key is shown only once. */
export const generatedKeyRecord = z
  .object({
    identifier: z.string(),
    keyID: z.int(),
    privateKey: z.string().describe('PKCS #8, PEM.'),
    accountId: z.string(),
    keyId: z.int(),
    tokenUri: z.string(),
  })
  .meta({ id: 'GeneratedKey' });
export const generatedKey = shapeOf<GeneratedKeyView>()({
  identifier: 'accountId',
  keyID: 'keyId',
  privateKey: 'privateKey',
  accountId: 'accountId',
  keyId: 'keyId',
  tokenUri: 'tokenUri',
});

export const invitationRecord = z
  .object({
    createdByIdentity: z.object({ serviceId: z.string() }),
    dateCreated: z.int(),
    dateExpires: z.int(),
    emailSubject: z.string().nullable(),
    id,
    invitationResourceRoles: z.array(z.object({ id, resource: resourceRecord, role: roleRecord })),
    invitationState: z.enum(invitationStates),
    invitationToken: z.string().describe('Identifies the invitation; not a credential.'),
    message: z.string().nullable(),
    organizationId: z.string(),
    userEmail: z.string(),
  })
  .meta({ id: 'Invitation' });
export const invitation = shapeOf<InvitationView>()({
  createdByIdentity: ({ createdBy }) => ({ serviceId: createdBy }),
  dateCreated: 'createdAt',
  dateExpires: 'expiresAt',
  emailSubject: 'subject',
  id: 'id',
  invitationResourceRoles: ({ roles }) =>
    roles.map((offer) => ({
      id: offer.id,
      resource: resource.present(offer.resource),
      role: role.present(offer.role),
    })),
  invitationState: 'state',
  invitationToken: 'token',
  message: 'message',
  organizationId: 'organizationId',
  userEmail: 'email',
});

export const appIdentityPropertyRecord = z
  .object({ id, identity: identityName, app: appName, name: z.string(), value: z.string() })
  .meta({ id: 'AppIdentityProperty' });
export const lookupTermRecord = z.object({ id, value: z.string() }).meta({ id: 'LookupTerm' });
