import type { Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { Timing } from '../timing.ts';
import type { Auth } from '../types.ts';
import type { AdminLogger } from './logger.ts';
import type { Outbox } from './mail/outbox.ts';

/** Shared by every service of the administration. */
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
  /** Base URL of the service, without a slash at its end: absolute URLs in records begin with it. */
  readonly baseUrl: string;
  readonly links: AdminLinks;
  /** Milliseconds that an invitation can be accepted. */
  readonly invitationLifetime: number;
  /** Invitations that an organization mails within an hour, at most. */
  readonly invitationsPerHour: number;
  readonly timing: Timing;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: AdminLogger;
}

/** Where the links in mails lead. */
export interface AdminLinks {
  /** To set a first password, with an init token or an invitation's secret. */
  init(token: Secret): string;
  /** To answer an invitation, logged in. */
  invitation(token: string): string;
}
