import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { defaultTiming, millisecondsOf, type Timing } from '../timing.ts';
import type { Auth } from '../types.ts';
import { type AppProperties, createAppProperties } from './app-properties.ts';
import { type Apps, createApps } from './apps.ts';
import { type Archive, createArchive } from './archive.ts';
import type { AdminContext, AdminLinks } from './context.ts';
import { createEvaluations, type Evaluations } from './evaluations.ts';
import { Identities } from './identities.ts';
import { createImages, type Images } from './images/images.ts';
import { Invitations } from './invitations/invitations.ts';
import type { AdminLogger } from './logger.ts';
import type { MailTransport } from './mail/mail.ts';
import { createOutbox } from './mail/outbox.ts';
import { createOrganizations, type Organizations } from './organizations.ts';
import { createProjects, type Projects } from './projects.ts';
import { createResources, type Resources } from './resources.ts';
import { RoleGrants } from './role-grants.ts';
import { createServiceAccounts, type ServiceAccounts } from './service-accounts/service-accounts.ts';
import { createStorage, type Storage } from './storage.ts';

export interface AdminOptions {
  readonly store: Store;
  readonly auth: Auth;
  /** Seals queued mail. */
  readonly masterKey: MasterKey;
  readonly config: AdminConfig;
  readonly mail: MailTransport;
  /** Milliseconds since the epoch; default: the system clock. */
  readonly now?: () => number;
  readonly logger?: AdminLogger;
  /** Overrides of the default timing. */
  readonly timing?: Partial<Timing>;
}

export interface AdminConfig {
  /** The configured base URL of the service; image URLs begin with it. */
  readonly baseUrl: string;
  /**
   * The web page that links in mails open (default: the base URL). Tokens are in the fragment, which browsers
   * do not send to servers: `#/init-user?initToken=…`, `#/invitation?invitationToken=…`.
   */
  readonly consoleUrl?: string;
  /**
   * Set if no mail server delivers links. Responses to administrators of the installation then contain the
   * links. Default: false.
   */
  readonly showsLinks?: boolean;
  /** Seconds for which an invitation can be accepted; default: 7 days. */
  readonly invitationLifetime?: number;
  /** Maximum number of invitations that an organization may mail per hour; default: 30. */
  readonly invitationsPerHour?: number;
}

/** The administrative part of auth: section 4.6 of the specification, except sign-in. */
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
  readonly storage: Storage;
  /**
   * Runs due work: removes roles scheduled for removal, expires invitations, and starts to send due mail. Call it about
   * once a minute.
   */
  sweep(): Promise<void>;
  /** Sends no more mail, and waits for mail that is being sent. The caller closes the mail transport. */
  close(): Promise<void>;
}

const silent: AdminLogger = { info() {}, error() {} };

/** Opens the administration on a store. Several servers may share one database. */
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
    showsLinks: config.showsLinks ?? false,
    invitationLifetime: millisecondsOf(config.invitationLifetime, timing.invitation),
    invitationsPerHour: config.invitationsPerHour ?? 30,
    timing,
    now,
    logger,
  };
  const roles = new RoleGrants(context);
  const invitations = new Invitations(context);
  return {
    resources: createResources(context),
    evaluations: createEvaluations(context),
    roles,
    appProperties: createAppProperties(context),
    identities: new Identities(context),
    serviceAccounts: createServiceAccounts(context),
    organizations: createOrganizations(context),
    projects: createProjects(context),
    apps: createApps(context),
    invitations,
    images: createImages(context),
    archive: createArchive(context),
    storage: createStorage(context),
    async sweep() {
      await roles.sweep();
      await invitations.sweep();
      void outbox.sweep();
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
