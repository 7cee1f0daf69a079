import type { Admin } from '@ledger-ops/auth';
import type { LedgerNodes, Timeline } from '@ledger-ops/registry';
import type { Route } from '../../http/route.ts';
import { accessRoutes } from './access.ts';
import { accountRoutes, appRoutes } from './clients.ts';
import { credentialRoutes } from './credentials.ts';
import { explorerRoutes } from './explorers.ts';
import { identityRoutes } from './identities.ts';
import { invitationRoutes } from './invitations.ts';
import { ledgerRoutes } from './ledgers.ts';
import { nodeRoutes } from './nodes.ts';
import { organizationRoutes, projectRoutes } from './organizations.ts';
import { storageRoutes } from './storage.ts';
import { timelineRoutes } from './timeline.ts';

/** Services that are not part of `Admin`. */
interface Records {
  readonly ledgerNodes: LedgerNodes;
  readonly timeline: Timeline;
}

/** Administration: everything below `/v1/admin`. */
export function adminRoutes(admin: Admin, { ledgerNodes, timeline }: Records): Route[] {
  return [
    ...organizationRoutes(admin),
    ...projectRoutes(admin),
    ...appRoutes(admin),
    ...accountRoutes(admin),
    ...credentialRoutes(admin),
    ...identityRoutes(admin),
    ...accessRoutes(admin),
    ...invitationRoutes(admin),
    ...storageRoutes(admin),
    ...ledgerRoutes(ledgerNodes),
    ...nodeRoutes(ledgerNodes),
    ...explorerRoutes(ledgerNodes),
    ...timelineRoutes(timeline),
  ];
}
