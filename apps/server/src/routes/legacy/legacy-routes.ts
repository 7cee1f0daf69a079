import type { Admin } from '@ledger-ops/auth';
import type { Route } from '../../http/route.ts';
import { imageRoutes } from '../admin/images.ts';
import { appIdentityRoutes } from './app-identities.ts';
import { appRoutes } from './apps.ts';
import { evaluationRoutes } from './evaluations.ts';
import { identityRoutes } from './identities.ts';
import { invitationRoutes } from './invitations.ts';
import { organizationRoutes } from './organizations.ts';
import { resourceRoutes } from './resources.ts';
import { roleRoutes } from './roles.ts';
import { serviceAccountRoutes } from './service-accounts.ts';

/** Deprecated administration routes (specification, section 4.6). */
export function legacyAdminRoutes(admin: Admin): Route[] {
  return [
    ...evaluationRoutes(admin),
    ...resourceRoutes(admin),
    ...roleRoutes(admin),
    ...appIdentityRoutes(admin),
    ...identityRoutes(admin),
    ...serviceAccountRoutes(admin),
    ...organizationRoutes(admin),
    ...appRoutes(admin),
    ...invitationRoutes(admin),
    ...imageRoutes(admin.images),
  ];
}
