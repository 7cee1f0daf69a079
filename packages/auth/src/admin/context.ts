import type { Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { Timing } from '../timing.ts';
import type { Auth } from '../types.ts';
import type { AdminLogger } from './logger.ts';
import type { Outbox } from './mail/outbox.ts';

/** Dependencies shared by all services of the administration. */
export interface AdminContext {
  readonly store: Store;
  readonly auth: Pick<
    Auth,
    | 'decide'
    | 'holds'
    | 'demand'
    | 'registerResource'
    | 'createOrganization'
    | 'createProject'
    | 'createApp'
    | 'issueAppToken'
    | 'endFormerAppToken'
    | 'createServiceAccount'
    | 'createApiToken'
    | 'setApiTokenStatus'
    | 'createInitToken'
    | 'setFirstPassword'
    | 'setRedirectUris'
    | 'prepareKey'
    | 'generateKey'
    | 'listKeys'
    | 'setKeyStatus'
  >;
  readonly outbox: Outbox;
  /** Base URL of the service without a trailing slash; absolute URLs in records begin with it. */
  readonly baseUrl: string;
  readonly links: AdminLinks;
  /**
   * Set if no mail server delivers links. Responses to administrators of the installation then contain the
   * links.
   */
  readonly showsLinks: boolean;
  /** Milliseconds for which an invitation can be accepted. */
  readonly invitationLifetime: number;
  /** Maximum number of invitations that an organization may mail per hour. */
  readonly invitationsPerHour: number;
  readonly timing: Timing;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: AdminLogger;
}

/** Targets of the links in mails. */
export interface AdminLinks {
  /** Link to set a first password, with an init token or an invitation's secret. */
  init(token: Secret): string;
  /** Link to answer an invitation after logging in. */
  invitation(token: string): string;
}
