import type { Dialect } from './dialect.ts';

/** Tables for administration, except access: properties, terms, images, invitations and outgoing mail. */
export function administrationTables(d: Dialect) {
  return {
    /**
     * One row for each resource and each of its ancestors, including itself (depth 0), so that subtrees can be read
     * without recursion. Resources never move.
     */
    resourceAncestor: d.table(
      'resource_ancestor',
      {
        resourceUid: d.text('resource_uid').notNull(),
        ancestorUid: d.text('ancestor_uid').notNull(),
        /** Type of `resourceUid`. It is stored here because each listing contains resources of one type. */
        type: d.text('type').notNull(),
        depth: d.int('depth').notNull(),
      },
      (t) => [
        d.primaryKey(t.resourceUid, t.ancestorUid),
        d.index('resource_ancestor_below').on(t.ancestorUid, t.type, t.resourceUid),
      ],
    ),

    resourceProperty: d.table(
      'resource_property',
      {
        id: d.int('id').primaryKey(),
        resourceUid: d.text('resource_uid').notNull(),
        name: d.text('name').notNull(),
        value: d.text('value').notNull(),
      },
      (t) => [d.uniqueIndex('resource_property_once').on(t.resourceUid, t.name)],
    ),

    /** Search terms of resources. */
    lookupTerm: d.table(
      'lookup_term',
      {
        id: d.int('id').primaryKey(),
        resourceUid: d.text('resource_uid').notNull(),
        value: d.text('value').notNull(),
      },
      (t) => [
        d.uniqueIndex('lookup_term_once').on(t.resourceUid, t.value),
        d.index('lookup_term_value').on(t.value),
      ],
    ),

    /** Role assignments whose deletion was requested. */
    roleDeletion: d.table(
      'role_deletion',
      {
        id: d.int('id').primaryKey(),
        assignmentId: d.int('assignment_id').notNull(),
        /** serviceId of the identity that requested the deletion. */
        requestedBy: d.text('requested_by').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('role_deletion_assignment').on(t.assignmentId)],
    ),

    appIdentityProperty: d.table(
      'app_identity_property',
      {
        id: d.int('id').primaryKey(),
        appUid: d.text('app_uid').notNull(),
        serviceId: d.text('service_id').notNull(),
        name: d.text('name').notNull(),
        value: d.text('value').notNull(),
      },
      (t) => [d.uniqueIndex('app_identity_property_once').on(t.appUid, t.serviceId, t.name)],
    ),

    invitation: d.table(
      'invitation',
      {
        id: d.int('id').primaryKey(),
        organizationUid: d.text('organization_uid').notNull(),
        userEmail: d.text('user_email').notNull(),
        emailSubject: d.text('email_subject'),
        message: d.text('message'),
        /**
         * PENDING, CANCELED, ACCEPTED, REJECTED, EXPIRED; after `expires_at`, a PENDING invitation counts as EXPIRED.
         */
        state: d.text('state').notNull(),
        /** Public id of the invitation. It does not authorize anything. */
        token: d.text('token').notNull(),
        /** SHA-256 of the secret in the mail, hex. Null if the invitation has no secret, or is closed. */
        secretHash: d.text('secret_hash'),
        /** Whether the invited person logs in at a SAML provider, and therefore sets no password. */
        saml: d.bool('saml').notNull(),
        /** serviceId of the person who invited, and the application that this person used. */
        createdBy: d.text('created_by').notNull(),
        createdByApp: d.text('created_by_app').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
        /** When the mail was queued, by the database's clock. Limits on mails use this time. */
        mailedAt: d.int('mailed_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('invitation_token').on(t.token),
        d.uniqueIndex('invitation_secret').on(t.secretHash),
        d.index('invitation_organization').on(t.organizationUid, t.state),
        d.index('invitation_mails').on(t.organizationUid, t.mailedAt),
        d.index('invitation_address').on(t.userEmail, t.mailedAt),
      ],
    ),

    invitationRole: d.table(
      'invitation_role',
      {
        id: d.int('id').primaryKey(),
        invitationId: d.int('invitation_id').notNull(),
        resourceUid: d.text('resource_uid').notNull(),
        roleUid: d.text('role_uid').notNull(),
      },
      (t) => [d.uniqueIndex('invitation_role_once').on(t.invitationId, t.resourceUid, t.roleUid)],
    ),

    image: d.table(
      'image',
      {
        uid: d.text('uid').primaryKey(),
        /** `identity:<serviceId>` or `resource:<uid>`; anyone who can see the owner can see the image. */
        owner: d.text('owner').notNull(),
        /** png, jpeg, webp, svg. */
        format: d.text('format').notNull(),
        bytes: d.bytes('bytes').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('image_owner').on(t.owner)],
    ),

    /** Outgoing mails. They are encrypted, because they contain links that give access to accounts. */
    mail: d.table(
      'mail',
      {
        uid: d.text('uid').primaryKey(),
        sealed: d.bytes('sealed').notNull(),
        attempts: d.int('attempts').notNull(),
        /**
         * Earliest time of the next attempt. A server that claims the row moves this time forward, so that only one
         * server sends the mail.
         */
        dueAt: d.int('due_at').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('mail_due').on(t.dueAt)],
    ),
  };
}
