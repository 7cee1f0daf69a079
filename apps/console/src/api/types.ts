import type { components } from '@ledger-ops/client';

/** Schemas of the service's OpenAPI document. */
export type Schemas = components['schemas'];
export type Action = Schemas['ActionOverview'];
export type ActionDetails = Schemas['ActionDetails'];
