import { z } from '@hono/zod-openapi';
import { imageBody as olderBody } from '../admin/fields.ts';

/** The body that sets an image. */
export const imageBody = z.strictObject(olderBody.shape).openapi('AdminImage');
