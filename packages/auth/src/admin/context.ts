import type { Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { Auth } from '../types.ts';
import type { AdminLogger } from './logger.ts';
import type { Outbox } from './outbox.ts';

/** What every service of the administration works with. */
export interface AdminContext {
  readonly store: Store;
  readonly auth: Pick<
    Auth,
    | 'decide'
    | 'demand'
    | 'registerResource'
    | 'createOrganization'
    | 'createProject'
    | 'createApp'
    | 'issueAppToken'
    | 'createServiceAccount'
    | 'createApiToken'
    | 'setApiTokenStatus'
    | 'createInitToken'
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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: AdminLogger;
}

/** Where the links in mails lead. */
export interface AdminLinks {
  init(token: Secret): string;
  invitation(token: Secret): string;
}
