import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { defineRoute, type Route } from '../../http/route.ts';
import { pathId } from '../../http/schemas.ts';

/** Images of identities, organizations and applications. */
export function imageRoutes(images: Admin['images']): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/images/{imageId}',
      operationId: 'getImage',
      summary: 'Get an image',
      description:
        'The image is visible to callers who can see its owner. SVG is served only as an attachment.',
      service: 'images',
      permission: { needs: ['<type>:read', 'system:manage'], on: 'self' },
      params: z.object({ imageId: pathId('Id of the image, from its URL.') }),
      answers: {
        200: {
          description: 'The image.',
          contentType: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
          headers: ['Content-Disposition'],
        },
      },
      problems: ['not-found'],
      async handle({ principal, params }) {
        const { bytes, contentType, disposition, filename } = await images.get(principal, params.imageId);
        return {
          status: 200,
          raw: Uint8Array.from(bytes),
          headers: {
            'Content-Type': contentType,
            'Content-Disposition': `${disposition}; filename="${filename}"`,
            // The image with an id never changes, but the set of callers that may see it does.
            'Cache-Control': 'private, max-age=300',
            'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          },
        };
      },
    }),
  ];
}
