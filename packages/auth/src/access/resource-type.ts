import { z } from 'zod';
import { type ResourceType, resourceTypes } from '../types.ts';

const resourceType = z.enum(resourceTypes);

export function typeOf(row: { readonly type: string }): ResourceType {
  return resourceType.parse(row.type);
}
