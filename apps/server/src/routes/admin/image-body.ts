import { z } from '@hono/zod-openapi';
import { imageBody as olderBody } from './fields.ts';

/** Body that sets an image. */
export const imageBody = z.strictObject(olderBody.shape).openapi('AdminImage');
