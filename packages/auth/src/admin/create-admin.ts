import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { defaultTiming, millisecondsOf, type Timing } from '../timing.ts';
import type { Auth } from '../types.ts';
import { type AppProperties, createAppProperties } from './app-properties.ts';
import { type Apps, createApps } from './apps.ts';
import { type Archive, createArchive } from './archive.ts';
import type { AdminContext, AdminLinks } from './context.ts';
import { createEvaluations, type Evaluations } from './evaluations.ts';
import { createIdentities, type Identities } from './identities.ts';
import { createImages, type Images } from './images/images.ts';
import { createInvitations, type Invitations } from './invitations/invitations.ts';
import type { AdminLogger } from './logger.ts';
import type { MailTransport } from './mail/mail.ts';
import { createOutbox } from './mail/outbox.ts';
import { createOrganizations, type Organizations } from './organizations.ts';
import { createProjects, type Projects } from './projects.ts';
import { createResources, type Resources } from './resources.ts';
import { createRoleGrants, type RoleGrants } from './role-grants.ts';
import { createServiceAccounts, type ServiceAccounts } from './service-accounts/service-accounts.ts';

/** Options of the administration. */
export interface AdminOptions {
  readonly store: Store;
  readonly auth: Auth;
  /** Seals mail that waits to be sent. */
  readonly masterKey: MasterKey;
  readonly config: AdminConfig;
  readonly mail: MailTransport;
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
  readonly logger?: AdminLogger;
  /** Times other than the usual ones. */
  readonly timing?: Partial<Timing>;
}

/** Settings of the administration. */
export interface AdminConfig {
  /** The configured base URL of the service; image URLs begin with it. */
  readonly baseUrl: string;
  /**
   * The web page to which links in mails lead (default: the base URL); tokens stand in the fragment, which browsers
   * send to nobody: `#/init-user?initToken=…`, `#/invitation?invitationToken=…`.
   */
  readonly consoleUrl?: string;
  /** Seconds that an invitation can be accepted; default 7 days. */
  readonly invitationLifetime?: number;
  /** Invitations that an organization mails within an hour, at most; default 30. */
  readonly invitationsPerHour?: number;
}

/** The administrative half of auth: section 4.6 without what signs in. */
export interface Admin {
  readonly resources: Resources;
  readonly evaluations: Evaluations;
  readonly roles: RoleGrants;
  readonly appProperties: AppProperties;
  readonly identities: Identities;
  readonly serviceAccounts: ServiceAccounts;
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly apps: Apps;
  readonly invitations: Invitations;
  readonly images: Images;
  readonly archive: Archive;
  /** Does what is due: sends mail, ends roles, expires invitations. To be called every minute or so. */
  sweep(): Promise<void>;
  /** Waits for mail that is being sent. The transport is the caller's to close. */
  close(): Promise<void>;
}

const silent: AdminLogger = { info() {}, error() {} };

/** Opens the administration on a store. Any number of servers may do so on one database. */
export function createAdmin(options: AdminOptions): Admin {
  const { store, auth, masterKey, config, mail: transport, logger = silent } = options;
  const now = options.now ?? Date.now;
  const timing = { ...defaultTiming, ...options.timing };
  const baseUrl = config.baseUrl.replace(/\/+$/, '');
  const outbox = createOutbox({ store, masterKey, transport, now, logger, timing: timing.mails });
  const context: AdminContext = {
    store,
    auth,
    outbox,
    baseUrl,
    links: linksTo((config.consoleUrl ?? baseUrl).replace(/\/+$/, '')),
    invitationLifetime: millisecondsOf(config.invitationLifetime, timing.invitation),
    invitationsPerHour: config.invitationsPerHour ?? 30,
    timing,
    now,
    logger,
  };
  const roles = createRoleGrants(context);
  const invitations = createInvitations(context);
  return {
    resources: createResources(context),
    evaluations: createEvaluations(context),
    roles,
    appProperties: createAppProperties(context),
    identities: createIdentities(context),
    serviceAccounts: createServiceAccounts(context),
    organizations: createOrganizations(context),
    projects: createProjects(context),
    apps: createApps(context),
    invitations,
    images: createImages(context),
    archive: createArchive(context),
    async sweep() {
      await roles.sweep();
      await invitations.sweep();
      await outbox.sweep();
    },
    close: () => outbox.close(),
  };
}

function linksTo(consoleUrl: string): AdminLinks {
  const link = (page: string, name: string, token: string) =>
    `${consoleUrl}/#/${page}?${name}=${encodeURIComponent(token)}`;
  return {
    init: (token) => link('init-user', 'initToken', token.reveal()),
    invitation: (token) => link('invitation', 'invitationToken', token),
  };
}
