import { z } from 'zod';
import type { Admin } from './create-admin.ts';
import { type AdminOperation, defineOperation } from './operation.ts';
import { identityOperations } from './operations/identities.ts';
import { invitationOperations } from './operations/invitations.ts';
import { appOperations, organizationOperations } from './operations/organizations.ts';
import { resourceManagerOperations } from './operations/resource-manager.ts';
import { serviceAccountOperations } from './operations/service-accounts.ts';

/**
 * Every operation of the administration as data: its path, inputs, output and permission, and how it is run.
 * Static segments of paths win over parameters whatever the order here.
 */
export function adminOperations(admin: Admin): AdminOperation[] {
  return [
    ...resourceManagerOperations(admin),
    ...identityOperations(admin),
    ...serviceAccountOperations(admin),
    ...organizationOperations(admin),
    ...appOperations(admin),
    ...invitationOperations(admin),
    ...imageOperations(admin),
  ];
}

function imageOperations({ images }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'getImage',
      service: 'images',
      method: 'get',
      path: '/v1/images/{imageId}',
      summary: 'Get an image of an identity, organization or application',
      permission: { needs: ['<type>:read', 'system:manage'], on: 'self' },
      params: z.object({ imageId: z.string().min(1).max(64) }),
      status: 200,
      // Answered as bytes with this content type and disposition, not as JSON.
      output: z.object({
        bytes: z.instanceof(Uint8Array),
        contentType: z.string(),
        disposition: z.enum(['inline', 'attachment']),
        filename: z.string(),
      }),
      current: true,
      run: ({ principal, params }) => images.get(principal, params.imageId),
    }),
  ];
}
