import type { Dialect } from './dialect.ts';

/** Tables of what is administered beside access itself: properties, terms, images, invitations, mail on its way. */
export function administrationTables(d: Dialect) {
  return {
    /** Every resource with itself (depth 0) and all above it: subtrees without recursion. Resources never move. */
    resourceAncestor: d.table(
      'resource_ancestor',
      {
        resourceUid: d.text('resource_uid').notNull(),
        ancestorUid: d.text('ancestor_uid').notNull(),
        /** Type of the resource itself: listings are of one type. */
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

    /** Words under which a resource is found. */
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

    /** Role assignments that are to end. */
    roleDeletion: d.table(
      'role_deletion',
      {
        id: d.int('id').primaryKey(),
        assignmentId: d.int('assignment_id').notNull(),
        /** serviceId of who asked for it. */
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
        /** PENDING, CANCELED, ACCEPTED, REJECTED, EXPIRED; a PENDING one past `expires_at` counts as EXPIRED. */
        state: d.text('state').notNull(),
        /** Names the invitation in the interface; proves nothing. */
        token: d.text('token').notNull(),
        /** SHA-256 of the secret in its mail, hex. Null: it has none, or the invitation is closed. */
        secretHash: d.text('secret_hash'),
        /** For somebody who logs in at a SAML provider, and so sets no password here. */
        saml: d.bool('saml').notNull(),
        /** serviceId of the inviter, and the application that they used. */
        createdBy: d.text('created_by').notNull(),
        createdByApp: d.text('created_by_app').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
        /** When its mail was handed over, by the database's clock: what the quota of mails counts. */
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
        /** `identity:<serviceId>` or `resource:<uid>`; who sees the owner sees the image. */
        owner: d.text('owner').notNull(),
        /** png, jpeg, webp, svg. */
        format: d.text('format').notNull(),
        bytes: d.bytes('bytes').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('image_owner').on(t.owner)],
    ),

    /** Mail that is to be sent. Sealed: it holds links that open accounts. */
    mail: d.table(
      'mail',
      {
        uid: d.text('uid').primaryKey(),
        sealed: d.bytes('sealed').notNull(),
        attempts: d.int('attempts').notNull(),
        /** Not before. Moved ahead by whoever takes the row, so that one server sends it. */
        dueAt: d.int('due_at').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('mail_due').on(t.dueAt)],
    ),
  };
}
