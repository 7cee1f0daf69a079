import type { Dialect } from './dialect.ts';

/**
 * Authentication and authorization. Resources form one tree: the system contains organizations, these contain projects,
 * and these contain all other resources.
 */
export function authTables(d: Dialect) {
  return {
    resource: d.table(
      'resource',
      {
        /** Internal id, equal to the id of the record that the resource represents. */
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        /** The id that users see (`resourceID`). */
        resourceId: d.text('resource_id').notNull(),
        type: d.text('type').notNull(),
        parentUid: d.text('parent_uid'),
        /**
         * Scope in which `resourceId` is unique: the resource type, and the project or, outside of projects, the parent
         * resource.
         */
        idScope: d.text('id_scope').notNull(),
        createdAt: d.int('created_at').notNull(),
        /**
         * When the resource was archived. It and all its descendants are then read-only. Null if the resource itself is
         * not archived.
         */
        archivedAt: d.int('archived_at'),
      },
      (t) => [
        d.uniqueIndex('resource_id_once').on(t.idScope, t.resourceId),
        d.index('resource_parent').on(t.parentUid),
        d.index('resource_type_id').on(t.type, t.resourceId),
      ],
    ),

    organization: d.table(
      'organization',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        organizationId: d.text('organization_id').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('organization_organization_id').on(t.organizationId)],
    ),

    project: d.table(
      'project',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        projectId: d.text('project_id').notNull(),
        organizationUid: d.text('organization_uid').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('project_organization_id').on(t.organizationUid, t.projectId),
        d.index('project_project_id').on(t.projectId),
      ],
    ),

    app: d.table(
      'app',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        /** OAuth client id. It is unique in its project. Tokens and codes are bound to the uid instead. */
        appId: d.text('app_id').notNull(),
        projectUid: d.text('project_uid').notNull(),
        name: d.text('name').notNull(),
        status: d.text('status').notNull(),
        /** SHA-256 of the application token, hex. */
        tokenHash: d.text('token_hash'),
        /** SHA-256 of the previous token, in hex, as long as both tokens are valid. */
        formerTokenHash: d.text('former_token_hash'),
        /** URL at which people open the application. */
        appUrl: d.text('app_url'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('app_project_id').on(t.projectUid, t.appId),
        d.index('app_app_id').on(t.appId, t.id),
        d.uniqueIndex('app_token_hash').on(t.tokenHash),
        d.uniqueIndex('app_former_token_hash').on(t.formerTokenHash),
      ],
    ),

    identity: d.table(
      'identity',
      {
        /** Internal id of the identity; the subject of access tokens. */
        serviceId: d.text('service_id').primaryKey(),
        id: d.int('id').notNull(),
        /** Normalized e-mail address of a person; for a service account, its id, which is unique in its project. */
        identifier: d.text('identifier').notNull(),
        /** Unique key: the case-folded e-mail address; for a service account, its serviceId. */
        identifierKey: d.text('identifier_key').notNull(),
        /** USER, SERVICE, SAML. */
        type: d.text('type').notNull(),
        /** ENABLED, DISABLED, LOCKED, PENDING. */
        status: d.text('status').notNull(),
        displayName: d.text('display_name'),
        /** JSON array of {key, value}. */
        config: d.text('config').notNull().default('[]'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('identity_identifier_key').on(t.identifierKey),
        d.index('identity_identifier').on(t.identifier),
      ],
    ),

    serviceAccount: d.table(
      'service_account',
      {
        /** serviceId of the account's identity, which is also the uid of the account's resource. */
        serviceId: d.text('service_id').primaryKey(),
        id: d.int('id').notNull(),
        /** Unique in its project. */
        accountId: d.text('account_id').notNull(),
        projectUid: d.text('project_uid').notNull(),
        name: d.text('name').notNull(),
        email: d.text('email').notNull(),
        /** The case-folded e-mail address; unique in its project. */
        emailKey: d.text('email_key').notNull(),
        createdBy: d.text('created_by').notNull(),
        /** serviceId of the identity that made the last change; null if it was never changed. */
        updatedBy: d.text('updated_by'),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('service_account_project_id').on(t.projectUid, t.accountId),
        d.uniqueIndex('service_account_project_email').on(t.projectUid, t.emailKey),
        d.index('service_account_account_id').on(t.accountId, t.id),
        d.index('service_account_email').on(t.emailKey),
      ],
    ),

    apiToken: d.table(
      'api_token',
      {
        /** Id of the token in listings. */
        handle: d.text('handle').primaryKey(),
        /** serviceId of the service account. */
        serviceId: d.text('service_id').notNull(),
        /** SHA-256 of the token, hex. */
        hash: d.text('hash').notNull(),
        /** ENABLED, DISABLED. */
        status: d.text('status').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('api_token_account').on(t.serviceId), d.uniqueIndex('api_token_hash').on(t.hash)],
    ),

    role: d.table(
      'role',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        name: d.text('name').notNull(),
        description: d.text('description').notNull(),
        roleType: d.text('role_type').notNull(),
        /** JSON array of `<type>:<verb>`. */
        permissions: d.text('permissions').notNull(),
      },
      (t) => [d.uniqueIndex('role_name').on(t.roleType, t.name)],
    ),

    /**
     * A role that an identity (`identity:<serviceId>`) or an app (`app:<uid>`) has on a resource and its
     * descendants.
     */
    roleAssignment: d.table(
      'role_assignment',
      {
        id: d.int('id').primaryKey(),
        holder: d.text('holder').notNull(),
        resourceUid: d.text('resource_uid').notNull(),
        roleUid: d.text('role_uid').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('role_assignment_once').on(t.holder, t.resourceUid, t.roleUid),
        d.index('role_assignment_resource').on(t.resourceUid),
        d.index('role_assignment_role').on(t.roleUid, t.resourceUid),
      ],
    ),

    /** RSA keys with which access tokens are signed. The private keys are encrypted with the server's master key. */
    signingKey: d.table('signing_key', {
      kid: d.text('kid').primaryKey(),
      publicJwk: d.text('public_jwk').notNull(),
      sealedPrivate: d.bytes('sealed_private').notNull(),
      createdAt: d.int('created_at').notNull(),
      /**
       * When the key stopped signing. The public key stays published until the last token that was signed with it has
       * expired.
       */
      retiredAt: d.int('retired_at'),
    }),

    /**
     * Counters: the int64 ids of deprecated records, and `access`, which increases with every change to access.
     */
    counter: d.table('counter', {
      name: d.text('name').primaryKey(),
      value: d.int('value').notNull(),
    }),
  };
}
